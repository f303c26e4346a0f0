"""Tengen as an engine over GTP, the Go Text Protocol (version 2), with what KataGo, Leela Zero, KGS and GoGui added.

Start at `Session.feed`: one line in, its answer out. A command is a function in the file of its topic, entered into
the table under its name; its annotations say how its arguments are read.
"""

from tengen.protocols.gtp import analyze, clocks, ending, game, gogui, rules, settings  # they fill the table
from tengen.protocols.gtp.session import Session, serve
from tengen.protocols.gtp.table import COMMANDS

__all__ = ["COMMANDS", "Session", "analyze", "clocks", "ending", "game", "gogui", "rules", "serve", "settings"]
