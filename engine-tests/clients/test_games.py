"""Short games at fixed nodes: by UCI and against each opponent, no illegal move, no error."""

import play
from common import Failures, arguments


def main():
    args = arguments(__doc__).parse_args()
    failures = Failures()
    for opponent in ("sjeng", "fairy-stockfish"):
        line = ["--klotz", args.klotz, "--opponent", opponent, "--games", "4", "--nodes", "1000"]
        play.match(play.options().parse_args(line), failures)
    failures.finish()


if __name__ == "__main__":
    main()
