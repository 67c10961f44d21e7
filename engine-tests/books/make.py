#!/usr/bin/env python3
"""Makes a bughouse opening book: lines 'FEN | FEN', both boards a few moves on and about level.

    make.py --lines 600 > bughouse.epd

Klotz itself plays: on each board in turn, in random order, one of its better moves, chosen at
random among those within --slack centipawns of the best. Captures cross, so hands fill as in play.
A line is kept if a longer search finds both boards within --level centipawns and no line before
has the same boards. The seed makes a book repeat.
"""

import argparse
import random
import subprocess
import sys


class Engine:
    """Klotz over UCI, with both boards."""

    def __init__(self, path):
        self.child = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("uci")
        self.until("uciok")
        self.say("setoption name UCI_Variant value bughouse")

    def say(self, line):
        self.child.stdin.write(line + "\n")

    def until(self, *first):
        lines = []
        for line in self.child.stdout:
            lines.append(line.strip())
            if lines[-1].startswith(first):
                return lines
        raise SystemExit("the engine has ended")

    def boards(self, moves):
        """Both FENs after the moves, each with the number of its board."""
        self.say("setoption name UCI_TwoBoard value true")
        self.say("position startpos | startpos moves " + " ".join(moves))
        self.say("d")
        self.say("isready")
        lines = self.until("readyok")
        self.say("setoption name UCI_TwoBoard value false")
        return [line.split(": ", 1)[1] for line in lines if line.startswith("Fen: ")]

    def search(self, fen, nodes, lines):
        """The best moves with their scores in centipawns, mates far out."""
        self.say(f"setoption name MultiPV value {lines}")
        self.say(f"position fen {fen}")
        self.say(f"go nodes {nodes}")
        found = {}
        for line in self.until("bestmove"):
            words = line.split()
            if "score" not in words or "pv" not in words:
                continue
            kind, value = words[words.index("score") + 1 : words.index("score") + 3]
            score = int(value) if kind == "cp" else (30000 if int(value) > 0 else -30000)
            rank = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
            found[rank] = (words[words.index("pv") + 1], score)
        return [found[rank] for rank in sorted(found)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--klotz", default="target/release/klotz")
    parser.add_argument("--lines", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=1500, help="for each choice of a move")
    parser.add_argument("--check", type=int, default=20000, help="for each board at the end")
    parser.add_argument("--slack", type=int, default=45)
    parser.add_argument("--level", type=int, default=50)
    args = parser.parse_args()
    dice = random.Random(args.seed)
    engine = Engine(args.klotz)
    seen, kept = set(), 0
    while kept < args.lines:
        # Each board gets four to eight single moves.
        turns = [1] * dice.randint(4, 8) + [2] * dice.randint(4, 8)
        dice.shuffle(turns)
        moves, fens = [], engine.boards([])
        engine.say("ucinewgame")
        for board in turns:
            best = engine.search(fens[board - 1], args.nodes, 6)
            if not best:
                break
            near = [move for move, score in best if best[0][1] - score <= args.slack]
            moves.append(f"{board}{dice.choice(near)}")
            fens = engine.boards(moves)
        if len(moves) < len(turns):
            continue
        # Counters do not make two positions different.
        key = tuple(fen.rsplit(" ", 2)[0] for fen in fens)
        if key in seen or key[0] == key[1]:
            continue
        scores = [engine.search(fen, args.check, 1) for fen in fens]
        if all(best and abs(best[0][1]) <= args.level for best in scores):
            seen.add(key)
            kept += 1
            print(" | ".join(fens), flush=True)
    engine.say("quit")


if __name__ == "__main__":
    sys.exit(main())
