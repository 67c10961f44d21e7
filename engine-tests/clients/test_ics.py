"""XBoard in zippy mode lets Klotz play bughouse on a stand-in for an internet chess server.

The server listens on the loopback only and speaks what XBoard needs: a login, style 12, holdings and
a partner's tells. It plays random moves itself and sends pieces, as a partner would, until one side
is mated by the rules of bughouse.
"""

import os
import random
import re
import socket
import time

import chess
import chess.variant

from common import Failures, arguments
from screen import Screen

MOST_MOVES = 160
SECONDS = 300
PIECES = "pnbrq"


class Server:
    """One connection, and what was said over it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(60)
        self.port = self.listener.getsockname()[1]
        self.pending = b""
        self.heard = []

    def accept(self):
        self.connection, _ = self.listener.accept()
        self.connection.settimeout(0.1)

    def say(self, text, prompt=True):
        text = text + "\n" + ("fics% " if prompt else "")
        self.connection.sendall(text.replace("\n", "\n\r").encode())

    def lines(self, seconds):
        """What the client says, as it comes, for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                data = self.connection.recv(4096)
            except TimeoutError:
                continue
            if not data:
                return
            self.pending += data
            while b"\n" in self.pending:
                line, self.pending = self.pending.split(b"\n", 1)
                line = line.decode(errors="replace").strip("\r\0 ")
                self.heard.append(line)
                yield line

    def close(self):
        self.connection.close()
        self.listener.close()


class Game:
    """One bughouse board: captures leave it, and pieces come from elsewhere."""

    def __init__(self, seed):
        self.board = chess.variant.CrazyhouseBoard()
        self.random = random.Random(seed)
        self.moves = 0
        self.last = "none (0:00) none"

    def push(self, move):
        board = self.board
        pockets = [board.pockets[color].copy() for color in chess.COLORS]
        san = board.san(move)
        if move.drop:
            role = chess.piece_symbol(move.drop).upper()
            told = f"{role}/@@-{chess.square_name(move.to_square)}"
        elif board.is_castling(move):
            told = san.rstrip("+#").lower()
        else:
            role = chess.piece_symbol(board.piece_type_at(move.from_square)).upper()
            told = f"{role}/{move.uci()[:2]}-{move.uci()[2:4]}"
            if move.promotion:
                told += "=" + chess.piece_symbol(move.promotion).upper()
        board.push(move)
        if not move.drop:
            for color, pocket in zip(chess.COLORS, pockets):
                board.pockets[color] = pocket
        self.moves += 1
        self.last = f"{told} (0:01) {san}"

    def mated(self):
        """In check, and no drop of any piece would help."""
        if not self.board.is_check():
            return False
        hopeful = self.board.copy(stack=False)
        for role in range(chess.PAWN, chess.KING):
            hopeful.pockets[hopeful.turn].add(role)
        return not any(hopeful.legal_moves)

    def style12(self):
        board = self.board
        ranks = [
            "".join(
                piece.symbol() if (piece := board.piece_at(chess.square(file, rank))) else "-"
                for file in range(8)
            )
            for rank in reversed(range(8))
        ]
        castling = " ".join(
            str(int(right(color)))
            for color in (chess.WHITE, chess.BLACK)
            for right in (board.has_kingside_castling_rights, board.has_queenside_castling_rights)
        )
        turn, relation = ("W", -1) if board.turn else ("B", 1)
        # Little time is shown, so that the moves come fast.
        return (
            f"<12> {' '.join(ranks)} {turn} -1 {castling} 0 1 Opp Klotz {relation} 1 0 39 39 "
            f"12 12 {board.fullmove_number} {self.last} 0 1 0"
        )

    def holdings(self, new=""):
        def hand(color):
            pocket = str(self.board.pockets[color])
            return "".join(letter.upper() * pocket.count(letter) for letter in PIECES)

        arrow = f" <- {new}" if new else ""
        return f"<b1> game 1 white [{hand(True)}] black [{hand(False)}]{arrow}"

    def give(self, color):
        letter = self.random.choice(PIECES)
        self.board.pockets[color].add(chess.Piece.from_symbol(letter).piece_type)
        return self.holdings(("W" if color else "B") + letter.upper())

    def read(self, text):
        """A move as XBoard sends it; None if it is none."""
        text = text.replace("=", "")
        try:
            if text.lower() in ("o-o", "o-o-o"):
                return self.board.parse_san(text.upper())
            if "@" in text:
                return chess.Move.from_uci(text[0].upper() + text[1:])
            return chess.Move.from_uci(text.lower())
        except ValueError:
            return None


def log_in(server):
    server.say("login:", prompt=False)
    list(server.lines(1))
    server.say('Logging you in as "Klotz"; you may use this name.', prompt=False)
    server.say("**** Starting FICS session as Klotz ****")
    for _ in server.lines(3):
        server.say("")
    server.say('\nAnn offers to be your bughouse partner; type "partner Ann" to accept.')
    for line in server.lines(10):
        if "partner Ann" in line:
            break
    server.say("\nAnn agrees to be your partner.")


def play(server, game, failures):
    server.say(
        "\nCreating: Opp (1500) Klotz (1500) rated bughouse 1 0\n"
        "{Game 1 (Opp vs. Klotz) Creating rated bughouse match.}",
        prompt=False,
    )
    server.say(game.style12())
    server.say(game.holdings())
    end = time.monotonic() + SECONDS
    while game.moves < MOST_MOVES and time.monotonic() < end and not game.mated():
        if game.board.turn:
            moves = list(game.board.legal_moves)
            if not moves:
                server.say(game.give(chess.WHITE))
                continue
            game.push(game.random.choice(moves))
            server.say("\n" + game.style12())
            if game.random.random() < 0.7:
                server.say("\n" + game.give(chess.BLACK))
            if game.random.random() < 0.1:
                server.say("\nAnn (your partner) tells you: +n")
            continue
        for line in server.lines(60):
            move = game.read(line)
            if move is None:
                continue
            legal = move in game.board.legal_moves
            failures.check(legal, f"illegal {line} in {game.board.fen()}")
            if legal:
                game.push(move)
                server.say("\n" + game.style12())
                break
    winner = "Opp checkmated} 0-1" if game.board.turn else "Klotz checkmated} 1-0"
    server.say("\n{Game 1 (Opp vs. Klotz) " + (winner if game.mated() else "Game aborted} *"))
    list(server.lines(2))


def main():
    args = arguments(__doc__).parse_args()
    failures = Failures()
    server, game = Server(), Game(5)
    with Screen() as screen:
        screen.xboard(
            "-ics", "-icshost", "127.0.0.1", "-icsport", str(server.port),
            "-zp", "-zippyBughouse", "2", "-zippyVariants", "bughouse",
            "-fcp", os.path.abspath(args.klotz),
        )
        server.accept()
        log_in(server)
        play(server, game, failures)
        server.close()
    drops = sum(bool(re.match("[PNBRQ]@", line)) for line in server.heard)
    print(f"{game.moves} moves, {drops} drops, {game.board.fen()}")
    failures.check(any("partner Ann" in line for line in server.heard), "no partner accepted")
    failures.check(game.mated() and game.board.turn, "Klotz did not mate a random player")
    failures.finish()


if __name__ == "__main__":
    main()
