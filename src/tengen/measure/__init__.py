"""Pure statistics on arrays.

What was measured: `ownership`, `finals`, `moves`, `calibration`, one value a position or a game. How sure we are:
`intervals` for one sample, `compare` for two models on the same positions, `phases` of the game, `sprt` for matches.
How it is shown: `tables` and `plots`.
"""
