"""The two streams of a protocol: lines of input, read ahead by a thread, and output that is always ASCII.

A `LineReader` tells a running search whether input is waiting. An `Output` notices when the program at the other end
has gone, even while there is nothing to write.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import queue
import select
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import IO

from tengen.plain import PLAIN, ascii_text

_CHUNK = 1 << 16
_AHEAD = 10_000  # unread lines after which the other program has to wait


def standard_input() -> io.RawIOBase:
    """Return standard input without Python's buffer, whose lock a reading thread would still hold at exit."""
    return io.FileIO(_open(sys.stdin, "standard input").fileno(), closefd=False)


def standard_output() -> IO[str]:
    """Return standard output, in ASCII whatever its encoding was."""
    stream = _open(sys.stdout, "standard output")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="ascii", errors=PLAIN)
    return stream


def _open(stream: IO[str] | None, name: str) -> IO[str]:
    if stream is None:
        raise OSError(errno.EBADF, "is closed", name)
    return stream


class LineReader:
    """The lines of a stream, in order. A longer line is cut after `longest` bytes."""

    def __init__(
        self, stream: io.RawIOBase | io.BytesIO, longest: int, *, heard: Callable[[str], None] | None = None
    ) -> None:
        self._stream = stream
        self._longest = longest
        self._heard = None if heard is None else weakref.WeakMethod(heard)  # the thread keeps no object alive
        self._lines: queue.Queue[str | None] = queue.Queue(_AHEAD)
        self._closed = False
        threading.Thread(target=self._read, daemon=True).start()

    def waiting(self) -> bool:
        """Whether a line, or the end of the input, is waiting to be read."""
        return not self._lines.empty()

    def close(self) -> None:
        """End the iteration; unread lines are dropped."""
        self._closed = True
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None and not self._closed:
            yield line

    def _read(self) -> None:
        unfinished = bytearray()
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._stream.read(_CHUNK):
                *whole, rest = chunk.split(b"\n")
                for end in whole:
                    self._put(unfinished + end)
                    unfinished.clear()
                unfinished += rest[: max(self._longest + 1 - len(unfinished), 0)]
        if unfinished:
            self._put(unfinished)
        self._lines.put(None)

    def _put(self, data: bytes | bytearray) -> None:
        line = data[: self._longest + 1].decode("utf-8", "replace")
        heard = self._heard() if self._heard is not None else None
        if heard is not None:
            heard(line)
        self._lines.put(line)


class Output:
    """Writes text to a stream in ASCII and flushes after each piece."""

    def __init__(self, sink: IO[str]) -> None:
        self._sink = sink
        self._lost: Callable[[], object] = lambda: None
        self.problem: OSError | None = None
        """The error that ended the output, if any; later text is dropped."""

    def write(self, text: str) -> None:
        """Write text; an error is stored in `problem` and not raised."""
        if self.problem is not None:
            return
        try:
            self._sink.write(ascii_text(text))
            self._sink.flush()
        except OSError as problem:
            self._lose(problem)
        except ValueError:  # the stream was closed here
            self._lose(BrokenPipeError(errno.EPIPE, "is closed"))

    @contextlib.contextmanager
    def watched(self, lost: Callable[[], object]) -> Iterator[None]:
        """Call `lost`, from any thread, as soon as the output can no longer be written.

        A thread watches for this where the system supports it, so that no search continues for a reader that has gone.
        """
        self._lost = lost
        if self.problem is not None:
            lost()
        descriptor = self._descriptor()
        if descriptor is None:
            yield
            return
        woken, wake = os.pipe()
        watcher = threading.Thread(target=self._watch, args=(descriptor, woken), daemon=True)
        watcher.start()
        try:
            yield
        finally:  # otherwise the waiting thread would keep the process alive
            os.close(wake)
            watcher.join()
            os.close(woken)

    def check(self) -> None:
        """Raise the problem, if there was one."""
        if self.problem is not None:
            raise self.problem

    def _watch(self, descriptor: int, woken: int) -> None:
        """Wait until the reader hangs up or the other end of `woken` is closed."""
        poll = select.poll()
        poll.register(descriptor, 0)  # errors and hang-ups are always reported
        poll.register(woken, select.POLLIN)
        events = dict(poll.poll())
        if events.get(descriptor, 0) & (select.POLLERR | select.POLLHUP):
            self._lose(BrokenPipeError(errno.EPIPE, "the reader is gone"))

    def _lose(self, problem: OSError) -> None:
        self.problem = self.problem or problem
        self._lost()

    def _descriptor(self) -> int | None:
        """Return the file descriptor to watch, None if there is none or the system cannot watch it."""
        try:
            return self._sink.fileno() if hasattr(select, "poll") else None
        except (OSError, ValueError):
            return None
