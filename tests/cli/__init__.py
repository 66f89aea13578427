"""Tests of the command, from outside."""
