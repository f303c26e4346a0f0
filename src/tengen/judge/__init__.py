"""Scoring a finished game: which chains are dead, and what the count is."""
