"""Matches of `klotz table`, read again by Klotz and by a reader of this file to the same positions.

The acceptance run: test_table.py --matches 20 --tc 5+0
Every day, without looking at the clock: test_table.py --nodes 300
"""

import os
import re
import subprocess
import tempfile

import chess

from bughouse import Table, seat_name
from common import Failures, arguments

MOVE = re.compile(r"(\d+)([ABab])\.\s*([^\s{]+)\s*(?:\{([^}]*)\})?")


def games(text):
    """(tags, moves as (letter, SAN), ending) of every game of a BPGN text."""
    for part in re.split(r"\n(?=\[Event )", "\n" + text):
        tags = dict(re.findall(r'^\[(\w+) "([^"]*)"\]', part, re.MULTILINE))
        if not tags:
            continue
        body = re.sub(r"^\[.*\]$", "", part, flags=re.MULTILINE)
        body = re.sub(r"\{C:[^}]*\}", "", body)
        moves = [(letter, san) for _, letter, san, _ in MOVE.findall(body)]
        ending = re.findall(r"\{([^}]*)\}\s*(?:1-0|0-1|1/2-1/2|\*)\s*$", body)
        yield tags, moves, ending[0] if ending else ""


def replay(moves):
    table = Table()
    for letter, san in moves:
        board = "AB".index(letter.upper())
        position = table.boards[board]
        if position.turn != letter.isupper():
            raise ValueError(f"{letter}. {san}: not that player's move")
        table.play(board, position.parse_san(san.rstrip("#+")))
    return table


def without_counters(fens):
    """Board, hands, mover, castling, en passant: python-chess counts half-moves otherwise."""
    parts = []
    for fen in fens.split("|"):
        fields = fen.split()
        board, _, hand = fields[0].partition("[")
        parts.append(" ".join([board, "".join(sorted(hand.rstrip("]")))] + fields[1:4]))
    return parts


def main():
    parser = arguments(__doc__)
    parser.add_argument("--matches", type=int, default=2)
    parser.add_argument("--tc", default="60+0")
    parser.add_argument("--nodes", type=int, help="a move, so that the clock matters little")
    parser.add_argument("--keep", help="keep the records in this file")
    args = parser.parse_args()
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        record = args.keep or os.path.join(folder, "matches.bpgn")
        nodes = ["--nodes", str(args.nodes)] if args.nodes else []
        subprocess.run(
            [args.klotz, "table", "--tc", args.tc, "--matches", str(args.matches), "--quiet",
             "--record", record] + nodes,
            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        with open(record, encoding="utf-8") as file:
            text = file.read()
        checked = subprocess.run([args.klotz, "bpgn", "check", "--fen", record],
                                 capture_output=True, text=True)
    failures.check(checked.returncode == 0, checked.stdout + checked.stderr)
    theirs = [line for line in checked.stdout.splitlines() if " | " in line]
    found = list(games(text))
    failures.check(len(found) == args.matches, f"{len(found)} games of {args.matches}")
    failures.check(len(theirs) == len(found), f"klotz bpgn check told {len(theirs)} positions")
    for number, ((tags, moves, ending), line) in enumerate(zip(found, theirs), 1):
        try:
            table = replay(moves)
        except ValueError as error:
            failures.check(False, f"match {number}: {error}")
            continue
        fens = re.search(r"\S+ [wb] \S+ \S+ \d+ \d+ \| \S+ [wb] \S+ \S+ \d+ \d+", line)
        told = fens.group(0) if fens else line
        failures.check(without_counters(told) == without_counters(table.fen()),
                       f"match {number}: {told} is not {table.fen()}")
        mated = table.mated_seat()
        if "checkmated" in ending:
            failures.check(mated is not None and seat_name(mated) in ending,
                           f"match {number}: {ending}, but {mated} is mated")
        if "forfeits on time" in ending:
            seat = ending.split()[0]
            board = table.boards["AB".index(seat[-1])]
            could = any(board.legal_moves) and (board.turn == chess.WHITE) == ("White" in seat)
            failures.check(not could, f"match {number}: {seat} flagged with a move to play")
        failures.check("illegal" not in ending, f"match {number}: {ending}")
        print(f"match {number}: {len(moves)} plies, {ending} {tags.get('Result')}", flush=True)
    failures.finish()


if __name__ == "__main__":
    main()
