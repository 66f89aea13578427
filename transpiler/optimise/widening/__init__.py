"""Kernels that are no nests, for a tile of programs at a time."""
