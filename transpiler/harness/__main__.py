"""`python -m transpiler.harness PATH…`: `teeny-transpile verify` where the command's script is not installed."""

from __future__ import annotations

import sys

from transpiler.cli.start import run

if __name__ == "__main__":
    sys.argv.insert(1, "verify")
    run()
