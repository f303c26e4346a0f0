"""Teachers of ownership: playouts, players' marks, other programs and our own models; labelling a store."""
