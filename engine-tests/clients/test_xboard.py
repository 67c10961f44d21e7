"""XBoard itself, on a display that nobody sees, plays crazyhouse: Klotz against Sjeng.

`--games 4` is the acceptance run; `--screenshot FILE.png` needs ImageMagick.
"""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from common import Failures, arguments, find

PATIENCE = 300.0


class Display:
    """An X server of our own; it picks a free number itself."""

    def __init__(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.process.terminate()
        self.process.wait()


def finished(path):
    """Games in a PGN file; XBoard appends whole ones."""
    try:
        with open(path, encoding="latin-1") as file:
            return len(re.findall(r"(?:1-0|0-1|1/2-1/2|\*)\n\n", file.read()))
    except FileNotFoundError:
        return 0


def shoot(display, path, delay):
    time.sleep(delay)
    subprocess.run(["import", "-display", display, "-window", "root", path], check=False)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--screenshot", help="a picture of the window after some moves")
    args = parser.parse_args()
    failures = Failures()
    klotz = os.path.abspath(args.klotz)
    display = Display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            # It draws its pieces at start, plays a sound at the end, and keeps settings in HOME.
            environment = dict(os.environ, DISPLAY=display.name, HOME=folder,
                               PATH=os.environ["PATH"] + os.pathsep + "/usr/games")
            if args.screenshot:
                shot = (display.name, os.path.abspath(args.screenshot), 4)
                threading.Thread(target=shoot, args=shot, daemon=True).start()
            games = os.path.join(folder, "games.pgn")
            xboard = subprocess.Popen(
                [find("xboard"), "-fcp", klotz, "-scp", find("sjeng"), "-fd", folder, "-sd", folder,
                 "-variant", "crazyhouse", "-mg", str(args.games), "-tc", "10", "-inc", "1",
                 "-depth", str(args.depth), "-sgf", games, "-soundProgram", "true",
                 "-debug", "-nameOfDebugFile", os.path.join(folder, "debug")],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
            # It saves each game at its end, but does not always leave after the last.
            deadline = time.monotonic() + PATIENCE
            while xboard.poll() is None and time.monotonic() < deadline:
                if finished(games) >= args.games:
                    break
                time.sleep(0.2)
            xboard.terminate()
            xboard.wait()
            # Sjeng does not leave when XBoard does, and would keep a processor busy for ever.
            try:
                os.killpg(xboard.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            with open(games, encoding="latin-1") as file:
                pgn = file.read()
            with open(os.path.join(folder, "debug"), encoding="latin-1") as file:
                debug = file.read()
    finally:
        display.close()
    results = re.findall(r'^\[Result "(.*)"\]', pgn, re.MULTILINE)
    endings = re.findall(r"\{([^{}]*)\}\s*(?:1-0|0-1|1/2-1/2|\*)\s*$", pgn, re.MULTILINE)
    print("results", results, "endings", endings)
    failures.check(len(results) == args.games, f"{len(results)} games of {args.games}")
    failures.check("*" not in results, "a game without a result")
    complaints = re.findall(r"<(?:first|second) *: ((?:Illegal move|Error).*)", debug)
    failures.check(not complaints, f"complaints: {complaints[:5]}")
    failures.check(not re.search(r"[Ii]llegal|forfeit", " ".join(endings)), f"endings: {endings}")
    failures.finish()


if __name__ == "__main__":
    main()
