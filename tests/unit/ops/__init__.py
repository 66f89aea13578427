"""Tests of transpiler.ops."""
