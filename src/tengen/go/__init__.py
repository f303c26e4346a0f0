"""The game: board, rules, records, counting, symmetry and drawings."""
