"""Tests of the parts, mirroring the package."""
