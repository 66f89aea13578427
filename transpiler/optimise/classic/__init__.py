"""Transforms of one kernel, whatever it is launched for."""
