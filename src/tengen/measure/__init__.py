"""Pure statistics on arrays.

Measures: `ownership`, `leads`, `finals`, `moves` and `calibration`, with one value per position or game. Statistics:
`intervals` for one sample, `compare` for two models on the same positions, `phases` of the game, `sprt` for matches.
Output: `tables` and `plots`.
"""
