"""Warnings for what goes wrong silently on a GPU, one file a lint."""
