"""Tests of transpiler.passes."""
