"""Tengen as a GTP engine (Go Text Protocol, version 2), with extensions of KataGo, Leela Zero, KGS and GoGui.

Start at `Session.feed`, which takes a line and answers it. Each command is a function registered in the command table;
its annotations determine how its arguments are parsed.
"""

from tengen.protocols.gtp import analyze, clocks, ending, game, gogui, rules, settings  # they register commands
from tengen.protocols.gtp.session import Session, serve
from tengen.protocols.gtp.table import COMMANDS

__all__ = ["COMMANDS", "Session", "analyze", "clocks", "ending", "game", "gogui", "rules", "serve", "settings"]
