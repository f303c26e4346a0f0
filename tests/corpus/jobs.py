"""Small jobs for the tests of workers; worker processes import them from here."""

import os
import signal
import time
from pathlib import Path


def square(number):
    return number * number


def fail_on_three(number):
    if number == 3:
        raise ValueError("three is not allowed")
    return number


def die_on_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(shard):
    """Take the worker down the first time this shard is met."""
    folder, number = shard
    mark = Path(folder) / f"died-{number}"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def write_slowly(shard):
    """Write a file named after the shard, slowly enough to be killed half-way."""
    folder, number = shard
    time.sleep(0.3)
    path = Path(folder) / f"{number}.txt"
    path.write_text(f"shard {number}\n")
    return os.getpid()
