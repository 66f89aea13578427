"""Tests of transpiler.analysis."""
