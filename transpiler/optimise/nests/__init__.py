"""Nests: what a kernel computes for one index of every axis, and what can be said of that."""
