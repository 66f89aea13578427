"""Tests of diagnostics and their renderers."""
