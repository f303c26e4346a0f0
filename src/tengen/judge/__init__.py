"""Scoring a finished game: the dead chains and the count."""
