"""The Python target: tree, names, lowering, printer."""
