"""A display nobody looks at, and XBoard on it."""

import os
import subprocess

from common import find


class Screen:
    """Xvfb with the programs that draw on it; all end with it."""

    def __init__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            [find("Xvfb"), "-screen", "0", "800x600x24", "-displayfd", str(writer)],
            pass_fds=[writer], stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as told:
            display = told.readline().strip()
        self.environment = dict(os.environ, DISPLAY=":" + display)
        self.programs = []

    def xboard(self, *words):
        program = subprocess.Popen(
            [find("xboard"), *words, "-autoflag", "false"], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.programs.append(program)
        return program

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.programs, self.server]:
            process.terminate()
            process.wait()
