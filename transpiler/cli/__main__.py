"""`python -m transpiler.cli`: the command where its script is not installed."""

from transpiler.cli.main import run

run()
