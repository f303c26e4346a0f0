"""A child process that exchanges lines of text over pipes and always ends with its owner.

Read `Child` first. Three threads serve each program: one writes its input, one collects its lines, one keeps the end
of its stderr; so neither side can block the other, however much it prints. The threads hold the pipes but not the
Child, which can therefore be garbage-collected: a finalizer then ends the program, also when Python exits.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from tengen.errors import EngineError

SOURCES = {
    "gnugo": "on Debian, apt install gnugo",
    "katago": "get it from https://github.com/lightvector/KataGo/releases",
}
"""How to install the common programs."""

_FOLDERS = ("/usr/games", "/usr/local/games")  # Debian keeps games off the PATH of daemons
_UNREAD = 1 << 26  # bytes of unread output after which the program has to wait
_LONGEST = 1 << 24  # bytes of a line; longer ones come in pieces
_KEPT = 4096  # bytes of stderr that an error shows
_BOXES = re.compile("[\u2500-\u257f]+")  # box-drawing characters


class EngineDied(EngineError):
    """The program ended, or was ended because it did not answer in time; it can be restarted."""


def find_program(name: str) -> str | None:
    """Return the path of a program on PATH or among the system's games, or None."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_FOLDERS))


def split_command(command: str | Sequence[str]) -> list[str]:
    """Return a command as a list of arguments; it is run without a shell."""
    try:
        argv = shlex.split(command) if isinstance(command, str) else [os.fspath(part) for part in command]
    except ValueError as error:
        raise EngineError(f"the command {command!r} cannot be split into words: {error}") from None
    if not argv or not argv[0]:
        raise EngineError("the command of the engine is empty")
    return argv


class Child:
    """A running program that reads and writes lines of text."""

    def __init__(self, command: str | Sequence[str]) -> None:
        self.argv = split_command(command)
        self.program = Path(self.argv[0]).name
        self._process = _start(self.argv, self.program)
        self._lines, self._outgoing, self._said = _Lines(), SimpleQueue[bytes | None](), bytearray()
        self._serve()
        self._end = weakref.finalize(self, _end_ours, os.getpid(), self._process, self._outgoing, self._lines)

    def _serve(self) -> None:
        process = self._process
        _thread(_write_all, process.stdin, self._outgoing)
        _thread(_read_lines, process.stdout, self._lines)
        self._listener = _thread(_keep_end, process.stderr, self._said)

    @property
    def pid(self) -> int:
        """The id of the process, which leads its own process group."""
        return self._process.pid

    @property
    def closed(self) -> bool:
        """Whether the program is known to have ended."""
        return not self._end.alive

    def write(self, text: str) -> None:
        """Send text without waiting for it to be read; a dead program is noticed when its answer is read."""
        self._outgoing.put(text.encode("utf-8", "replace"))

    def read_line(self, deadline: float | None, doing: str) -> str:
        """Return the next line without its end, until a deadline of the monotonic clock; `doing` is for the error."""
        try:
            line = self._lines.get(deadline)
        except TimeoutError:
            raise self._died(f"{self.program} did not answer in time and was stopped while {doing}") from None
        if line is None:
            raise self._died(f"{self.program} ended while {doing}", grace=0.5)
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def close(self, farewell: str = "", *, grace: float = 1.0) -> None:
        """End the program and all it started: send `farewell`, close its input, then terminate, then kill."""
        if self._end.detach():
            self.write(farewell)
            _end(self._process, self._outgoing, self._lines, grace)

    def last_words(self) -> str:
        """Return the end of the program's stderr on one line, without box-drawing characters."""
        return " ".join(_BOXES.sub(" ", bytes(self._said).decode("utf-8", "replace")).split())

    def _died(self, what: str, grace: float = 0.0) -> EngineDied:
        """End the program and return an error with its exit status and the end of its stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        status = self._process.returncode
        self.close(grace=0.0)
        self._listener.join(0.5)
        how = "" if status is None else f" ({_status(status)})"
        words = self.last_words()
        return EngineDied(f"{what}{how}" + (f"; stderr: {words}" if words else ""))


class _Lines:
    """A queue of lines from a reading thread; the thread waits while too many bytes are unread."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._over = False
        self._changed = threading.Condition()

    def put(self, line: bytes) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._unread < _UNREAD or self._over)
            self._lines.append(line)
            self._unread += len(line)
            self._changed.notify_all()

    def get(self, deadline: float | None) -> bytes | None:
        """Return the next line, None after the last one."""
        with self._changed:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            if not self._changed.wait_for(lambda: self._lines or self._over, left):
                raise TimeoutError
            if not self._lines:
                return None
            line = self._lines.popleft()
            self._unread -= len(line)
            self._changed.notify_all()
            return line

    def finish(self) -> None:
        """Mark the end of the lines, or that they are no longer wanted."""
        with self._changed:
            self._over = True
            self._changed.notify_all()


def _start(argv: Sequence[str], program: str) -> subprocess.Popen[bytes]:
    source = SOURCES.get(program.removesuffix(".exe").lower(), "install it, or give its whole path")
    path = find_program(argv[0])
    if path is None:
        raise EngineError(f"{argv[0]} was not found or is not executable: {source}")
    pipe = subprocess.PIPE
    try:  # a session of its own: Ctrl-C stays ours, and one signal reaches all that the program starts
        return subprocess.Popen([path, *argv[1:]], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except (OSError, ValueError) as error:
        raise EngineError(f"{argv[0]} could not be started: {error}") from None


def _thread(target: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _write_all(pipe: IO[bytes], outgoing: SimpleQueue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        while (data := outgoing.get()) is not None:
            pipe.write(data)
            pipe.flush()


def _read_lines(pipe: IO[bytes], lines: _Lines) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        while line := pipe.readline(_LONGEST):
            lines.put(line)
    lines.finish()


def _keep_end(pipe: IO[bytes], said: bytearray) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        while data := os.read(pipe.fileno(), 1 << 16):
            said += data
            del said[:-_KEPT]


def _end(process: subprocess.Popen[bytes], outgoing: SimpleQueue[bytes | None], lines: _Lines, grace: float) -> None:
    """End a program and its children: close its input, then send signals."""
    outgoing.put(None)
    try:
        if not _ends_within(process, grace) and grace:
            _signal_group(process, signal.SIGTERM)
            _ends_within(process, grace)
    finally:  # also when we are interrupted
        _signal_group(process, signal.SIGKILL)
        process.wait()
        lines.finish()


def _end_ours(owner: int, process: subprocess.Popen[bytes], outgoing: SimpleQueue[bytes | None], lines: _Lines) -> None:
    """End a program whose Child was garbage-collected, unless this is a fork of the process that owns it."""
    if os.getpid() == owner:
        _end(process, outgoing, lines, 0.0)


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, number)


def _status(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
