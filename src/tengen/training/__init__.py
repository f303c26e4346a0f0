"""Loops that need a player: learning from an engine while playing it, by self-play, and from the ends of games."""
