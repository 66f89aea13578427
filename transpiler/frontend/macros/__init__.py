"""Expansion of `macro_rules!` macros that make kernels."""
