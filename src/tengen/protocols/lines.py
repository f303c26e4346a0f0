"""Lines of input, read ahead by a thread, so that whoever works can see that somebody has spoken."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from typing import IO

_AHEAD = 10_000  # lines that may wait before the other program has to


class LineReader:
    """The lines of a stream, in order. A line longer than `longest` bytes is cut just behind that many."""

    def __init__(self, stream: IO[bytes], longest: int, *, heard: Callable[[str], None] | None = None) -> None:
        self._stream = stream
        self._longest = longest
        self._heard = heard
        self._lines: queue.Queue[str | None] = queue.Queue(_AHEAD)
        threading.Thread(target=self._read, daemon=True).start()

    def waiting(self) -> bool:
        """Whether there is a line, or the end of the input, that nobody has taken yet."""
        return not self._lines.empty()

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None:
            yield line

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := self._stream.readline(self._longest + 1):
                self._skip_rest(data)
                line = data.decode("utf-8", "replace")
                if self._heard is not None:
                    self._heard(line)
                self._lines.put(line)
        self._lines.put(None)

    def _skip_rest(self, data: bytes) -> None:
        while data and not data.endswith(b"\n"):
            data = self._stream.readline(1 << 16)
