"""Bughouse upon python-chess, apart from Klotz' own rules: two boards whose captures cross."""

import chess
import chess.variant

HAND = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"


class Board(chess.variant.CrazyhouseBoard):
    """One board: what is taken is remembered instead of changing hands."""

    taken = None

    def _push_capture(self, move, capture_square, piece_type, was_promoted):
        self.taken = chess.PAWN if was_promoted else piece_type

    def play(self, move):
        """Plays and returns the kind that was taken; the piece keeps the opponent's colour."""
        self.taken = None
        self.push(move)
        return self.taken

    def is_mated(self):
        """A check that no move and no drop of any piece whatever answers."""
        if not self.is_check() or any(self.legal_moves):
            return False
        rich = self.copy(stack=False)
        for piece in HAND:
            rich.pockets[rich.turn].add(piece)
        return not any(rich.legal_moves)


class Table:
    """Both boards; board 0 is A. Seats are (board, colour)."""

    def __init__(self):
        self.boards = [Board(START), Board(START)]
        self.plies = 0

    def fen(self):
        return " | ".join(board.fen() for board in self.boards)

    def play(self, index, move):
        board = self.boards[index]
        color = board.turn
        taken = board.play(move)
        if taken is not None:
            # To the partner, who sits on the other board with the other colour.
            self.boards[1 - index].pockets[not color].add(taken)
        self.plies += 1
        return taken

    def mated_seat(self):
        for index, board in enumerate(self.boards):
            if board.is_mated():
                return index, board.turn
        return None

    def is_dead(self):
        return not any(any(board.legal_moves) for board in self.boards)


def seat_name(seat):
    index, color = seat
    return ("White" if color else "Black") + "AB"[index]


def team(seat):
    """1 for WhiteA and BlackB, 2 for the others."""
    index, color = seat
    return 1 if (index == 0) == color else 2


SEATS = [(0, chess.WHITE), (0, chess.BLACK), (1, chess.WHITE), (1, chess.BLACK)]
