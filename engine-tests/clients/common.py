"""What the tests with other programs share: starting them, a driver for Sjeng, a referee."""

import argparse
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import chess
import chess.engine
import chess.variant

# python-chess 1.11.2 hands out the pockets of its saved positions instead of copies, so that its
# XBoard client sends a start position with pieces in hand from the second move of a game on.
_restore = chess.variant._CrazyhouseBoardState.restore


def _restore_copies(state, board):
    _restore(state, board)
    for color in chess.COLORS:
        board.pockets[color] = board.pockets[color].copy()


chess.variant._CrazyhouseBoardState.restore = _restore_copies

PATIENCE = 120.0  # only a hang gets there


def find(program):
    """A program of Debian's games, which not every PATH has."""
    path = shutil.which(program, path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if path is None:
        sys.exit(f"{program} is not installed; engine-tests/run installs it")
    return path


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--klotz", default="target/release/klotz", help="the engine's binary")
    return parser


class Failures:
    """Collects what went wrong, so that one run tells all of it."""

    def __init__(self):
        self.checks = 0
        self.found = []

    def check(self, holds, message):
        self.checks += 1
        if not holds:
            self.found.append(message)
            print("FAILED:", message, flush=True)
        return holds

    def finish(self):
        print(f"{self.checks - len(self.found)} passed, {len(self.found)} failed")
        sys.exit(1 if self.found else 0)


class Lines:
    """A child process spoken to in lines; what it says is stamped as it arrives."""

    def __init__(self, command, env=None, log=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=env, bufsize=0,
        )
        self.log = log
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for raw in iter(self.process.stdout.readline, b""):
            line = raw.decode(errors="replace").rstrip("\r\n")
            if self.log is not None:
                self.log.append("< " + line)
            self.lines.put((time.monotonic(), line))
        self.lines.put((time.monotonic(), None))

    def say(self, line):
        if self.log is not None:
            self.log.append("> " + line)
        self.process.stdin.write(line.encode() + b"\n")

    def next(self, patience=PATIENCE):
        """(time, line) of the next line; the line is None at the end of its output."""
        return self.lines.get(timeout=patience)

    def until(self, fits, patience=PATIENCE):
        """Lines up to the first that fits; the last of them is the one that did."""
        deadline = time.monotonic() + patience
        seen = []
        while True:
            try:
                _, line = self.next(max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"no answer after {seen[-20:]}") from None
            if line is None:
                raise EOFError(f"ended after {seen[-20:]}")
            seen.append(line)
            if fits(line):
                return seen

    def drain(self):
        seen = []
        while not self.lines.empty():
            seen.append(self.lines.get_nowait()[1])
        return seen

    def close(self, patience=5.0):
        try:
            self.process.stdin.close()
            self.process.wait(patience)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
            self.process.wait()
        return self.process.returncode


class Limit:
    """A clock (seconds and increment) or fixed nodes for Klotz and a fixed depth for Sjeng."""

    def __init__(self, tc=None, nodes=None, depth=3):
        self.tc = tc
        self.nodes = nodes
        self.depth = depth
        self.left = {chess.WHITE: tc[0], chess.BLACK: tc[0]} if tc else None

    def spend(self, color, seconds):
        """Takes the time off the clock; false when the flag has fallen."""
        if not self.left:
            return True
        self.left[color] -= seconds
        if self.left[color] < 0:
            return False
        self.left[color] += self.tc[1]
        return True


class UciPlayer:
    """An engine behind python-chess, by UCI or by XBoard."""

    def __init__(self, command, protocol="uci", options=None, name=None):
        opener = getattr(chess.engine.SimpleEngine, "popen_" + protocol)
        self.engine = opener(command, timeout=PATIENCE)
        self.name = name or self.engine.id.get("name", "?")
        if options:
            self.engine.configure(options)

    def new_game(self, limit):
        self.game = object()

    def move(self, board, limit):
        if limit.left:
            spec = chess.engine.Limit(
                white_clock=limit.left[chess.WHITE], black_clock=limit.left[chess.BLACK],
                white_inc=limit.tc[1], black_inc=limit.tc[1],
            )
        else:
            spec = chess.engine.Limit(nodes=limit.nodes)
        started = time.monotonic()
        result = self.engine.play(board, spec, game=self.game)
        return result.move, result.resigned, time.monotonic() - started

    def quit(self):
        self.engine.quit()


class SjengPlayer:
    """Sjeng needs a driver of its own: it sends its board before the greeting, wants moves bare,
    ponders unless told otherwise, and forgets a variant sent before `new`."""

    def __init__(self):
        self.name = "Sjeng"
        self.home = tempfile.TemporaryDirectory()  # it writes its learning there
        self.child = Lines([find("sjeng")], env=dict(os.environ, HOME=self.home.name))
        self.child.say("xboard")
        self.child.say("protover 2")
        self.child.until(lambda line: "done=1" in line)

    def new_game(self, limit):
        for line in ("new", "variant crazyhouse", "easy", "nopost", "force"):
            self.child.say(line)
        if limit.tc:
            # Whole seconds only; the true clock is sent with each move.
            self.child.say(f"level 0 0:{max(1, int(limit.tc[0]))} 0")
        else:
            self.child.say(f"sd {limit.depth}")
        self.told = 0

    def move(self, board, limit):
        for move in board.move_stack[self.told:]:
            self.child.say(move.uci())
        self.told = len(board.move_stack) + 1
        if limit.left:
            own, other = limit.left[board.turn], limit.left[not board.turn]
            self.child.say(f"time {max(1, int(own * 100))}")
            self.child.say(f"otim {max(1, int(other * 100))}")
        self.child.drain()
        started = time.monotonic()
        self.child.say("go")
        while True:
            stamp, line = self.child.next()
            if line is None:
                raise EOFError("Sjeng died")
            words = line.split()
            if len(words) == 2 and words[0] == "move":
                self.child.say("force")
                return chess.Move.from_uci(words[1]), False, stamp - started
            if "resign" in line or line.startswith(("0-1", "1-0")):
                self.child.say("force")
                return None, True, stamp - started

    def quit(self):
        self.child.say("quit")
        self.child.close()
        self.home.cleanup()


def opening(seed, plies=4):
    """A few random moves, so that games differ; the same for both colours of a pair."""
    rng = random.Random(seed)
    board = chess.variant.CrazyhouseBoard()
    for _ in range(plies):
        board.push(rng.choice(sorted(board.legal_moves, key=lambda move: move.uci())))
    return board


def play_game(players, board, limit, max_plies=600):
    """One game; returns (result, reason, loser's colour if a player is to blame)."""
    for player in players.values():
        player.new_game(limit)
    while True:
        if board.is_checkmate():
            return ("0-1" if board.turn else "1-0"), "mate", None
        if board.is_stalemate():
            return "1/2-1/2", "stalemate", None
        if board.is_repetition(3):
            return "1/2-1/2", "repetition", None
        if len(board.move_stack) >= max_plies:
            return "1/2-1/2", "move cap", None
        color = board.turn
        lost = "0-1" if color else "1-0"
        try:
            move, resigned, seconds = players[color].move(board, limit)
        except (chess.engine.EngineError, EOFError, TimeoutError) as error:
            return lost, f"error: {error}", color
        if not limit.spend(color, seconds):
            return lost, "time", color
        if resigned or move is None:
            return lost, "resignation", None
        if move not in board.legal_moves:
            return lost, f"illegal move {move} in {board.fen()}", color
        board.push(move)
