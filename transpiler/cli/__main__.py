"""`python -m transpiler.cli`: the command where its script is not installed."""

from transpiler.cli.start import run

run()
