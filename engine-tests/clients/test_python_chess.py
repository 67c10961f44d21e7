"""Klotz behind python-chess, by UCI and by XBoard: games, analysis, pondering, options.

python-chess raises on answers it does not expect and warns of lines it cannot read; neither may
happen. The acceptance run: test_python_chess.py --games 10 --seconds 1
"""

import logging

import chess
import chess.engine
import chess.variant

from common import Failures, Limit, UciPlayer, arguments, opening, play_game

TACTICS = "r1b2rk1/1pp1qp2/5n1p/1Bp5/4P3/5P2/PP3P1P/R2Q1RK1[NPPPBPpnbn] b - - 31 16"


class Warnings(logging.Handler):
    """Keeps what python-chess complains about."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []

    def emit(self, record):
        self.seen.append(record.getMessage())


def games(args, protocol, failures):
    """Against itself with both colours: the same binary, so no side may fail."""
    players = {color: UciPlayer(args.klotz, protocol) for color in chess.COLORS}
    for number in range(args.games):
        board = opening(100 + number)
        limit = Limit(tc=(args.seconds, 0.02)) if args.seconds and number % 2 else Limit(nodes=500)
        result, reason, blamed = play_game(players, board, limit)
        failures.check(blamed is None, f"{protocol} game {number + 1}: {reason}")
        print(f"{protocol} game {number + 1}: {len(board.move_stack)} plies, {result} ({reason})",
              flush=True)
    for player in players.values():
        player.quit()


def legal_line(board, moves):
    board = board.copy()
    for move in moves:
        if move not in board.legal_moves:
            return False
        board.push(move)
    return True


def analysis(engine, protocol, failures):
    board = chess.variant.CrazyhouseBoard(TACTICS)
    if protocol == "uci":
        lines = engine.analyse(board, chess.engine.Limit(nodes=20000), multipv=3)
    else:  # python-chess has no multipv there
        lines = [engine.analyse(board, chess.engine.Limit(time=0.3))]
    failures.check(len(lines) == (3 if protocol == "uci" else 1), f"{protocol}: lines of multipv 3")
    for line in lines:
        failures.check("score" in line and "pv" in line, f"{protocol}: no score in {line}")
        failures.check(legal_line(board, line.get("pv", [])), f"{protocol}: illegal line {line}")
    firsts = [line["pv"][0] for line in lines if line.get("pv")]
    failures.check(len(set(firsts)) == len(firsts), f"{protocol}: a move twice in multipv")
    if protocol == "uci":
        mate = engine.analyse(board, chess.engine.Limit(mate=4))
        score = mate["score"].relative
        failures.check(score.is_mate() and 0 < score.mate() <= 4, f"go mate 4: {score}")
        only = [chess.Move.from_uci("e7e6")]
        result = engine.play(board, chess.engine.Limit(nodes=500), root_moves=only)
        failures.check(result.move == only[0], f"searchmoves e7e6: {result.move}")
    # An analysis without end, stopped from outside.
    with engine.analysis(board) as running:
        for number, _ in enumerate(running):
            if number > 5:
                break
        running.stop()
        running.wait()
    failures.check(True, "")


def pondering(engine, protocol, failures):
    """A game in which both sides of one engine ponder; hits and misses both occur."""
    board = chess.variant.CrazyhouseBoard()
    game = object()
    hits = 0
    expected = None
    for _ in range(24):
        if board.is_game_over():
            break
        limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
        result = engine.play(board, limit, game=game, ponder=True)
        if not failures.check(result.move in board.legal_moves, f"{protocol} pondering: {result}"):
            return
        board.push(result.move)
        hit = len(board.move_stack) % 4 < 2
        replies = sorted(board.legal_moves, key=lambda move: move.uci())
        if not replies:
            break
        hit = hit and result.ponder is not None
        if hit:
            failures.check(result.ponder in replies, f"{protocol}: ponders on {result.ponder}")
            hits += 1
        board.push(result.ponder if hit else replies[0])
    # In XBoard the engine tells its guess only when asked.
    failures.check(hits > 0 or protocol == "xboard", f"{protocol}: never offered a ponder move")


def values(option):
    """The corners of an option's range."""
    if option.type == "spin":
        # Hash and Threads as large as the machine would have to allow are another test's matter.
        ceiling = {"Hash": 64, "Threads": 4, "memory": 64, "cores": 4}.get(option.name, option.max)
        largest = ceiling if option.max is None else min(option.max, ceiling)
        return [value for value in (option.min, largest, option.default) if value is not None]
    if option.type == "check":
        return [True, False, option.default]
    if option.type == "combo":
        return list(option.var) + [option.default]
    if option.type in ("string", "file", "path") and option.name != "Debug Log File":
        return [option.default]
    return [None] if option.type in ("button", "reset", "save") else []


def options(engine, protocol, failures):
    board = chess.variant.CrazyhouseBoard()
    for name, option in list(engine.options.items()):
        if option.is_managed():
            continue
        for value in values(option):
            engine.configure({name: value})
            engine.ping()
        result = engine.play(board, chess.engine.Limit(nodes=200))
        failures.check(result.move in board.legal_moves, f"{protocol}: after {name}: {result}")
    # In the middle of a game.
    game = object()
    changing = "Threads" if protocol == "uci" else "cores"
    for number in range(10):
        engine.configure({changing: 1 + number % 2})
        result = engine.play(board, chess.engine.Limit(nodes=200), game=game)
        if not failures.check(result.move in board.legal_moves, f"{protocol}: {result.move}"):
            break
        board.push(result.move)
    print(f"{protocol}: {len(engine.options)} options over their range", flush=True)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="every second game by this clock")
    args = parser.parse_args()
    failures = Failures()
    warnings = Warnings()
    logging.getLogger("chess.engine").addHandler(warnings)
    for protocol in ("uci", "xboard"):
        games(args, protocol, failures)
        for part in (analysis, pondering, options):
            engine = getattr(chess.engine.SimpleEngine, "popen_" + protocol)(args.klotz, timeout=60)
            try:
                part(engine, protocol, failures)
            except chess.engine.EngineError as error:
                failures.check(False, f"{protocol} {part.__name__}: {error!r}")
            finally:
                engine.quit()
    failures.check(not warnings.seen, f"python-chess warned: {warnings.seen[:5]}")
    failures.finish()


if __name__ == "__main__":
    main()
