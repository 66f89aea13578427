"""Tests of transpiler.ir."""
