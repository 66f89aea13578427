"""From the host code of a file, its `RuntimeOp` implementations, to what launchers and operators are printed from."""
