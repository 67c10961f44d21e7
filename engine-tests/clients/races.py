"""Input at random times during searches: exactly one answer to each request, never a move that is
illegal in every state sent since the last one the engine acknowledged.

The acceptance run: races.py --rounds 10000. The times of `readyok` and `pong` are reported, not judged.
"""

import random
import sys
import time

import chess

from bughouse import Board
from common import Failures, Lines, arguments

# Always with a move on the board, whatever the hands are.
POSITIONS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[{}] w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[{}] b KQkq - 0 1",
    "r2q2k1/1p3rp1/1p5p/pP1P1n2/P1B1Bn2/1BPP4/5PPP/3R1RK1[{}] w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3[{}] b - - 0 1",
    "r3k2r/pppq1p1p/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1P1P/R3K2R[{}] w KQkq - 0 1",
]


def hand(rng):
    return "".join(sorted(rng.choice("QRBNP") for _ in range(rng.randrange(4))))


class Client:
    """What the three protocols share: states sent, those acknowledged, times of answers."""

    answer = "bestmove"
    variant_lines = ()

    def __init__(self, klotz, seed, failures):
        self.rng = random.Random(seed)
        self.sitting = False
        self.failures = failures
        self.log = []
        self.child = Lines([klotz], log=self.log)
        self.states = []
        self.asked = {}
        self.token = 0
        self.times = []
        self.found = []  # answers of the current request
        self.start()

    def send_state(self, pattern, white, black):
        self.states.append(pattern.format(white + black.lower()))

    def sync(self):
        """Asks for a sign of life; what it acknowledges is everything sent so far."""
        self.token += 1
        self.asked[self.token] = (time.monotonic(), len(self.states) - 1)
        self.child.say(self.sync_line(self.token))

    def read(self, patience):
        """One line, or None when none comes in time."""
        try:
            stamp, line = self.child.next(patience)
        except Exception:  # queue.Empty
            return None
        if line is None:
            raise EOFError("ended after " + " | ".join(self.log[-12:]))
        token = self.synced(line)
        if token is not None:
            sent, state = self.asked.pop(token)
            self.times.append(stamp - sent)
            del self.states[:state - (self.total - len(self.states))]
        elif line.split()[:1] == [self.answer]:
            self.judge(line)
        elif "string sit " in line:
            # Whoever waits for what the other board does says so, and then answers without a move.
            self.sitting = True
        elif line.startswith(("Error", "Illegal", "info string")):
            self.complaints.append(line)
        return line

    @property
    def total(self):
        return self.sent_states

    def until_synced(self):
        self.sync()
        deadline = time.monotonic() + 60
        while self.asked:
            if self.read(1.0) is None and time.monotonic() > deadline:
                raise TimeoutError("no answer to " + self.log[-1])

    def judge(self, line):
        self.found.append(line)
        text = self.move_of(line)
        if text is None:
            self.failures.check(self.sitting, f"no move in {line!r} at {self.states[-1]}; " +
                                " | ".join(self.log[-12:]))
            self.sitting = False
            return
        self.sitting = False
        move = chess.Move.from_uci(text[0].upper() + text[1:] if "@" in text else text)
        legal = any(move in Board(state).legal_moves for state in self.states)
        self.failures.check(legal, f"{line!r} fits none of {self.states}; " +
                            " | ".join(self.log[-12:]))

    def pause(self):
        if self.rng.random() < 0.5:
            deadline = time.monotonic() + self.rng.random() * 0.004
            while (left := deadline - time.monotonic()) > 0:
                self.read(left)

    def round(self):
        self.states = []
        self.sent_states = 0
        self.found = []
        self.complaints = []
        self.pattern = self.rng.choice(POSITIONS)
        expected = self.request()
        deadline = time.monotonic() + 60
        while len(self.found) < expected and time.monotonic() < deadline:
            self.read(1.0)
        self.finish()
        self.until_synced()
        got = len(self.found)
        self.failures.check(got == expected, f"{got} answers for {expected} requests: "
                            + " | ".join(self.log[-25:]))
        self.failures.check(not self.complaints, f"complaints {self.complaints}")
        del self.log[:-40]

    def finish(self):
        pass

    def send_hands(self, pattern):
        white, black = hand(self.rng), hand(self.rng)
        # Hands that stay as they are change nothing, and an engine takes them so.
        while self.states[-1:] == [pattern.format(white + black.lower())]:
            white, black = hand(self.rng), hand(self.rng)
        self.send_state(pattern, white, black)
        self.sent_states += 1
        return white, black


class Uci(Client):
    def start(self):
        self.child.say("uci")
        self.child.until(lambda line: line == "uciok")
        self.child.say("setoption name UCI_Variant value bughouse")

    def sync_line(self, token):
        return "isready"

    def synced(self, line):
        return min(self.asked) if line == "readyok" and self.asked else None

    def move_of(self, line):
        word = line.split()[1]
        return None if word in ("(none)", "0000") else word

    def request(self):
        white, black = self.send_hands(self.pattern)
        self.child.say("position fen " + self.states[-1])
        limit = self.rng.choice(["infinite", "nodes 2000", "movetime 5", "depth 4",
                                 "wtime 500 btime 500"])
        self.child.say("go " + limit)
        for _ in range(self.rng.randrange(6)):
            self.pause()
            act = self.rng.randrange(6)
            if act == 0 and not self.found:
                white, black = self.send_hands(self.pattern)
                self.child.say(f"holding [{white}] [{black}]")
            elif act == 1:
                self.child.say("ptell " + self.rng.choice(["+n", "sit", "go", "---q", "hello"]))
            elif act == 2:
                self.child.say("stop")
            else:
                self.sync()
        self.child.say("stop")
        return 1


class XBoard(Client):
    answer = "move"

    def start(self):
        for line in ("xboard", "protover 2"):
            self.child.say(line)
        self.child.until(lambda line: "done=1" in line)
        for line in ("new", "variant bughouse", "easy", "nopost"):
            self.child.say(line)

    def sync_line(self, token):
        return f"ping {token}"

    def synced(self, line):
        words = line.split()
        return int(words[1]) if words[:1] == ["pong"] else None

    def move_of(self, line):
        return line.split()[1]

    def request(self):
        self.child.say("force")
        white, black = self.send_hands(self.pattern)
        self.child.say("setboard " + self.states[-1])
        self.child.say(self.rng.choice(["st 1", "sd 3", "level 0 1 0", "st 0.01"]))
        self.child.say("go")
        for _ in range(self.rng.randrange(6)):
            self.pause()
            act = self.rng.randrange(6)
            if act == 0 and not self.found:
                white, black = self.send_hands(self.pattern)
                self.child.say(f"holding [{white}] [{black}]")
            elif act == 1:
                self.child.say("ptell " + self.rng.choice(["+n", "go", "---q", "hello"]))
            elif act == 2:
                self.child.say(f"time {self.rng.randrange(100, 6000)}")
                self.child.say(f"otim {self.rng.randrange(100, 6000)}")
            elif act == 3:
                self.child.say("?")
            else:
                self.sync()
        self.child.say("ptell go")
        self.child.say("?")
        return 1

    def finish(self):
        self.child.say("force")


class Ubi(Client):
    def start(self):
        self.child.say("ubi")
        self.child.until(lambda line: line == "ubiok")
        self.child.say("ubinewgame")
        # No seat is named: the child answers for whoever is to move on board A.

    def sync_line(self, token):
        return "isready"

    def synced(self, line):
        return min(self.asked) if line == "readyok" and self.asked else None

    def move_of(self, line):
        word = line.split()[3]
        return None if word == "(none)" else word

    def tell(self, board_b):
        # Who waits for the other board may do so for most of his clock: short ones keep rounds short.
        times = " ".join(str(self.rng.randrange(1000, 8000)) for _ in range(4))
        self.child.say(f"position {self.states[-1]} | {board_b} clock {times}")

    def other(self):
        # Sparse, since two sets are all there is.
        sparse = self.rng.choice(["4k3/8/8/8/8/8/8/4K3[{}] b - - 0 1", "k7/pp6/8/8/8/8/PP6/K7[{}] w - - 0 1"])
        return sparse.format(hand(self.rng) + hand(self.rng).lower())

    def go(self):
        limit = self.rng.choice(["infinite", "nodes 2000", "movetime 5", "depth 4"])
        self.child.say(f"go board A {limit}")
        return limit == "infinite"

    def settle(self):
        """After this nothing of an earlier search may come: it was aborted silently. An answer
        said before the engine heard of that is a race every server must bear."""
        self.until_synced()
        self.found = []
        self.states = self.states[-1:]

    def request(self):
        self.send_hands(self.pattern)
        self.tell(self.other())
        endless = self.go()
        running = True
        for _ in range(self.rng.randrange(6)):
            self.pause()
            act = self.rng.randrange(6)
            if act == 0:
                self.send_hands(self.pattern)
                self.tell(self.other())
                self.settle()
                endless, running = self.go(), True
            elif act == 1:
                self.tell(self.other())
            elif act == 2:
                self.child.say("partnermsg need n urgency high")
            elif act == 3:
                self.child.say(self.rng.choice(["stop", "stop board A"]))
                self.settle()
                endless, running = self.go(), True
            else:
                self.sync()
        if endless:
            self.child.say("stop")
            self.settle()
            running = False
        return int(running)


CLIENTS = {"uci": Uci, "xboard": XBoard, "ubi": Ubi}


def run(args, failures):
    for name in args.protocol or CLIENTS:
        client = CLIENTS[name](args.klotz, args.seed, failures)
        for _ in range(args.rounds):
            client.round()
            if len(failures.found) > 5:
                break
        client.child.say("quit")
        failures.check(client.child.close() == 0, f"{name}: no clean end")
        times = sorted(client.times)
        at = [1000 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.99, 0.999)]
        print(f"{name}: {args.rounds} rounds, {len(times)} signs of life: median {at[0]:.1f} ms, "
              f"99 % {at[1]:.1f} ms, 99.9 % {at[2]:.1f} ms, slowest {1000 * times[-1]:.1f} ms",
              flush=True)


def options():
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--protocol", action="append", choices=list(CLIENTS))
    return parser


def main():
    failures = Failures()
    run(options().parse_args(), failures)
    failures.finish()


if __name__ == "__main__":
    sys.exit(main())
