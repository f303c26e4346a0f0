"""`tengen serve` as a program on a free port."""

import re
import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def served(*options):
    command = [sys.executable, "-m", "tengen", "serve", "--port", "0", *options]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", program.stdout.readline())[1])
        yield program, port
    finally:
        if program.poll() is None:
            program.kill()
        program.communicate()
