"""Talks to a session over GTP in this process."""

from tengen.protocols.gtp import Session
from tengen.search.player import Settings


class Talk:
    """A session that is asked and answers, without streams."""

    def __init__(self, *lines, playouts=60, settings=None, **options):
        self.said = []
        self.session = Session(self.said.append, settings=settings or Settings(playouts=playouts), **options)
        for line in lines:
            self(line)

    def raw(self, line):
        """All that a line makes the session say."""
        self.said.clear()
        self.session.feed(line)
        return "".join(self.said)

    def __call__(self, line):
        """The answer to a command, which must be accepted."""
        answer = self.raw(line)
        assert answer.startswith("="), f"{line}: {answer}"
        return answer[1:].strip()

    def refuses(self, line):
        """The words of a refusal."""
        answer = self.raw(line)
        assert answer.startswith("?"), f"{line}: {answer}"
        return answer[1:].strip()
