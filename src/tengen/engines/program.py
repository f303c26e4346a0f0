"""The base class of engines: started on first use, restarted on demand, ended with the with-block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from tengen.engines.process import Child, EngineDied, split_command
from tengen.numbers import checked_number

T = TypeVar("T")


class Program:
    """Another program in a child process, used by one thread at a time."""

    _farewell = ""
    _grace = 1.0  # seconds to end by itself after the farewell, and again after SIGTERM

    def __init__(self, command: str | Sequence[str], *, timeout: float | None) -> None:
        self.argv = split_command(command)
        self.timeout = None if timeout is None else checked_number(timeout, "timeout", 0)
        """Default number of seconds to wait for an answer; None waits forever."""
        self._child: Child | None = None

    def start(self) -> None:
        """Start the program if it is not running."""
        if self._child is None:
            self._child = Child(self.argv)
            self._greet()

    def restart(self) -> None:
        """End the program if it is running, and start it again."""
        self.drop("", grace=0.0)
        self.start()

    def close(self) -> None:
        """End the program and all it started; the next call starts it again."""
        self.drop(self._farewell, grace=self._grace)

    def kill(self) -> None:
        """End the program at once, from any thread; a pending call raises EngineDied."""
        child = self._child
        if child is not None:
            child.close(grace=0.0)

    @property
    def pid(self) -> int | None:
        """The id of the program's process, None if it was not started."""
        return self._child.pid if self._child is not None else None

    def _greet(self) -> None:
        """Called after every start of the program."""

    def drop(self, farewell: str, grace: float) -> None:
        """End the program; the next question starts it again."""
        child, self._child = self._child, None
        if child is not None:
            child.close(farewell, grace=grace)

    def _living(self) -> Child:
        """Return the running program; one that died is not restarted automatically, as it has lost its state."""
        self.start()
        assert self._child is not None
        if self._child.closed:
            raise EngineDied(f"{self._child.program} has ended; restart() starts it again")
        return self._child

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' '.join(self.argv)}>"


P = TypeVar("P", bound=Program)


def with_restarts(engine: P, job: Callable[[P], T], *, tries: int = 3) -> T:
    """Run a job with an engine; if the engine dies, restart it and the job, up to `tries` times in all."""
    for left in reversed(range(tries)):
        try:
            return job(engine)
        except EngineDied:
            if not left:
                raise
            engine.drop("", grace=0.0)  # the job starts it again
    raise ValueError(f"a job is tried at least once, not {tries} times")
