"""Goldens: generated modules and IR as files one reads and reviews."""
