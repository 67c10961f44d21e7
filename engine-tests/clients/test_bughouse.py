"""Counts the moves of random bughouse positions again with pyffish.

Reads what the Rust test `bughouse` wrote: a line a position, FEN, tab, its legal moves sorted.
"""

import os

import pyffish

from common import Failures, arguments


def main():
    parser = arguments(__doc__)
    default = os.path.join("target", "tmp", "bughouse-positions.txt")
    parser.add_argument("--positions", default=default)
    args = parser.parse_args()
    failures = Failures()
    with open(args.positions, encoding="utf-8") as file:
        for line in file:
            fen, _, moves = line.rstrip("\n").partition("\t")
            theirs = sorted(pyffish.legal_moves("bughouse", fen, []))
            failures.check(theirs == moves.split(), f"moves of {fen}")
            if len(failures.found) > 10:
                break
    failures.check(failures.checks > 0, "no position to compare")
    failures.finish()


if __name__ == "__main__":
    main()
