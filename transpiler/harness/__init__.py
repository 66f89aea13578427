"""Running, compiling and checking generated modules; the only part that imports torch and triton, lazily."""

from __future__ import annotations

from transpiler.harness.cases import Case

__all__ = ["Case"]
