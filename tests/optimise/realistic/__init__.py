"""Kernels of the kinds that people write, with their launches and what must come of them."""
