"""A table server that speaks UBI to Klotz: four processes with a seat each, or one for each team.

Full state goes to every engine at every event. Checked: every move legal, no `bestmove` for a search
that was stopped or overtaken by a change of its own board, searches that survive what happens on
the partner's board alone.

The acceptance run: ubi_table.py --matches 10 --tc 30 --setup both
"""

import random
import sys
import time

import chess

from bughouse import SEATS, Table, seat_name, team
from common import Failures, Lines, arguments

LETTER = "AB"


class Engine:
    """One process and the seats it fills."""

    def __init__(self, command, seats, table):
        self.seats = seats
        self.log = []
        self.child = Lines([command], log=self.log)
        self.child.say("ubi")
        self.child.until(lambda line: line == "ubiok")
        self.running = {}  # board -> FEN of the board that was searched
        names = ",".join(("white" if color else "black") + "_" + LETTER[board]
                         for board, color in seats)
        self.child.say("ubinewgame")
        self.child.say(f"metadata position {names}")
        self.sync()

    def sync(self):
        """Everything sent is handled; what was said meanwhile is returned."""
        self.child.say("isready")
        return self.child.until(lambda line: line == "readyok")[:-1]

    def seat_on(self, board):
        return next((seat for seat in self.seats if seat[0] == board), None)


class Match:
    def __init__(self, args, per_team, seed, failures):
        self.failures = failures
        self.table = Table()
        self.random = random.Random(seed)
        groups = [[s for s in SEATS if team(s) == t] for t in (1, 2)]
        if not per_team:
            groups = [[seat] for seat in SEATS]
        self.engines = [Engine(args.klotz, seats, self.table) for seats in groups]
        self.left = {seat: args.tc for seat in SEATS}
        self.started = [time.monotonic()] * 2
        self.limit = f" nodes {args.nodes}" if args.nodes else ""
        self.survived = 0
        self.races = 0

    def clocks(self):
        now = time.monotonic()
        left = dict(self.left)
        for board in (0, 1):
            seat = (board, self.table.boards[board].turn)
            left[seat] -= now - self.started[board]
        return left

    def state(self):
        left = self.clocks()
        times = " ".join(str(max(0, int(1000 * left[seat]))) for seat in SEATS)
        return f"position {self.table.fen()} clock {times}"

    def update(self, failures):
        """Tells everyone the state and starts the searches that are needed."""
        state = self.state()
        fens = [board.fen() for board in self.table.boards]
        for engine in self.engines:
            engine.child.say(state)
            overtaken = {b for b, fen in engine.running.items() if fen != fens[b]}
            for line in engine.sync():
                # Said before it heard of the change: a race that every server must bear.
                words = line.split()
                if words[:2] == ["bestmove", "board"]:
                    board = LETTER.index(words[2])
                    failures.check(board in engine.running, f"stray {line!r}")
                    if board in overtaken:
                        self.races += 1
                    else:
                        self.pending.append((time.monotonic(), engine, board, words[3]))
                    engine.running.pop(board, None)
                    overtaken.discard(board)
            self.survived += len(engine.running.keys() - overtaken)
            for board in overtaken:
                del engine.running[board]
            held = {board for _, e, board, _ in self.pending if e is engine}
            for board, color in engine.seats:
                if self.table.boards[board].turn == color and board not in engine.running \
                        and board not in held:
                    engine.running[board] = fens[board]
                    engine.child.say(f"go board {LETTER[board]}{self.limit}")

    def answers(self):
        """Best moves as they come, in the order of their stamps."""
        found = self.pending
        self.pending = []
        for engine in self.engines:
            while not engine.child.lines.empty():
                stamp, line = engine.child.lines.get_nowait()
                if line is None:
                    raise EOFError("an engine died: " + "; ".join(engine.log[-6:]))
                words = line.split()
                if words[:2] != ["bestmove", "board"]:
                    continue
                board = LETTER.index(words[2])
                if self.failures.check(board in engine.running, f"stray {line!r}"):
                    del engine.running[board]
                    found.append((stamp, engine, board, words[3]))
        return sorted(found, key=lambda answer: answer[0])

    def play(self, max_plies=800):
        """Plays to the end; returns how it ended."""
        self.pending = []
        failures = self.failures
        self.update(failures)
        waiting = set()
        last = time.monotonic()
        while True:
            left = self.clocks()
            flagged = min(SEATS, key=lambda seat: left[seat])
            if left[flagged] < -0.05:
                board = self.table.boards[flagged[0]]
                could = board.turn == flagged[1] and any(board.legal_moves)
                return f"{seat_name(flagged)} flagged" + (" with a move to play" if could else "")
            for stamp, engine, board, text in self.answers():
                seat = engine.seat_on(board)
                position = self.table.boards[board]
                if text == "(none)":
                    waiting.add(seat)
                    continue
                drop = "@" in text
                move = chess.Move.from_uci(text[0].upper() + text[1:] if drop else text)
                legal = position.turn == seat[1] and move in position.legal_moves
                if not failures.check(legal, f"{seat_name(seat)}: {text} in {position.fen()}"):
                    return "illegal move"
                failures.check(not drop or text[0].islower(), f"upper-case drop {text}")
                self.left[seat] -= stamp - self.started[board]
                self.table.play(board, move)
                self.started[board] = stamp
                last = stamp
                if self.table.mated_seat():
                    return f"{seat_name(self.table.mated_seat())} mated"
                if self.table.is_dead():
                    return "dead table"
                if self.table.plies >= max_plies:
                    return "move cap"
                waiting.clear()
                self.update(failures)
            if self.random.random() < 0.01:
                self.update(failures)  # clocks alone
            if time.monotonic() - last > 90:
                return "nobody moves"
            time.sleep(0.001)

    def close(self):
        for engine in self.engines:
            # Nothing may come after a stop.
            engine.child.say("stop")
            raced = [line for line in engine.sync() if line.startswith("bestmove")]
            self.failures.check(len(raced) <= len(engine.running), f"too many answers: {raced}")
            time.sleep(0.02)
            stray = [line for line in engine.child.drain() if (line or "").startswith("bestmove")]
            self.failures.check(not stray, f"after stop: {stray}")
            engine.child.say("metadata game_result *")
            engine.child.say("quit")
            self.failures.check(engine.child.close() == 0, "no clean end")


def matches(args, per_team, failures):
    for number in range(args.matches):
        match = Match(args, per_team, args.seed + number, failures)
        try:
            end = match.play()
        except EOFError as error:
            end = str(error)
            failures.check(False, end)
        failures.check(end != "nobody moves", f"stuck: {match.table.fen()}")
        failures.check("with a move" not in end, end)
        match.close()
        setup = "two processes" if per_team else "four processes"
        print(f"{setup}, match {number + 1}: {match.table.plies} plies, {end}; "
              f"{match.survived} searches outlived an update, {match.races} races", flush=True)
        failures.check(match.survived > 0, "no search outlived an update of the other board")


def options():
    parser = arguments(__doc__)
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--tc", type=float, default=30.0, help="seconds a player")
    parser.add_argument("--nodes", type=int, help="a move, so that the clock matters little")
    parser.add_argument("--setup", choices=["seats", "teams", "both"], default="both")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def main():
    args = options().parse_args()
    failures = Failures()
    for per_team in {"seats": [False], "teams": [True], "both": [False, True]}[args.setup]:
        matches(args, per_team, failures)
    failures.finish()


if __name__ == "__main__":
    sys.exit(main())
