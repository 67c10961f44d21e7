"""Klotz against another crazyhouse engine, through python-chess as a GUI would.

The full acceptance run:  play.py --opponent sjeng --games 20 --tc 1+0.01 --min-score 0.8
A short one:              play.py --opponent sjeng --games 4 --nodes 2000
"""

import sys

import chess
import chess.pgn

from common import (Failures, Limit, SjengPlayer, UciPlayer, arguments, find, opening, play_game)


def clock(text):
    base, _, increment = text.partition("+")
    return float(base), float(increment or 0)


def match(args, failures):
    """Plays the games; returns Klotz' points."""
    klotz = UciPlayer(args.klotz, args.protocol, {"Threads": args.threads}, "Klotz")
    if args.opponent == "sjeng":
        other = SjengPlayer()
    else:
        other = UciPlayer(find("fairy-stockfish"), "uci", {"Threads": 1}, "Fairy-Stockfish")
    points = 0.0
    for number in range(args.games):
        white = number % 2 == 0
        players = {white: klotz, not white: other}
        board = opening(args.seed + number // 2)
        limit = Limit(args.tc, args.nodes, args.depth)
        result, reason, blamed = play_game(players, board, limit)
        won = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(result)
        points += 0.5 if won is None else float(won == white)
        side = "white" if white else "black"
        print(f"game {number + 1}: Klotz {side}, {len(board.move_stack)} plies, {result} ({reason})",
              flush=True)
        failures.check(blamed != white, f"game {number + 1}: Klotz lost by {reason}")
        if args.pgn:
            game = chess.pgn.Game.from_board(board)
            game.headers.update(White=players[True].name, Black=players[False].name, Result=result)
            with open(args.pgn, "a", encoding="utf-8") as file:
                print(game, end="\n\n", file=file)
    klotz.quit()
    other.quit()
    print(f"Klotz {points} of {args.games} against {other.name} "
          f"({100 * points / max(1, args.games):.0f} %), by {args.protocol}")
    return points


def options():
    parser = arguments(__doc__)
    parser.add_argument("--opponent", choices=["sjeng", "fairy-stockfish"], default="sjeng")
    parser.add_argument("--protocol", choices=["uci", "xboard"], default="uci")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--tc", type=clock, help="seconds+increment")
    parser.add_argument("--nodes", type=int, default=2000, help="a move, without --tc")
    parser.add_argument("--depth", type=int, default=3, help="Sjeng's, without --tc")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min-score", type=float, default=0.0, help="of 1; less is a failure")
    parser.add_argument("--pgn", help="append the games to this file")
    return parser


def main():
    args = options().parse_args()
    failures = Failures()
    points = match(args, failures)
    failures.check(points >= args.min_score * args.games, f"less than {args.min_score:.0%}")
    failures.finish()


if __name__ == "__main__":
    sys.exit(main())
