"""Who owned what: playouts, players' marks, other programs and our own models as teachers; labelling a store."""
