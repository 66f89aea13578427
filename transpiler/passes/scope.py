"""Rust's block scoping: which symbol a name means at a place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.ir.nodes import Symbol


class Scopes:
    """A stack of scopes; an inner name hides an outer one, a later one of a scope an earlier one."""

    def __init__(self) -> None:
        self._stack: list[dict[str, Symbol]] = [{}]

    @contextmanager
    def nested(self) -> Iterator[None]:
        """A scope that ends with the `with` block."""
        self._stack.append({})
        try:
            yield
        finally:
            self._stack.pop()

    def declare(self, symbol: Symbol) -> None:
        """Bind the symbol's name from here on."""
        self._stack[-1][symbol.name] = symbol

    def rename(self, name: str, symbol: Symbol) -> None:
        """Bind another name to the symbol from here on."""
        self._stack[-1][name] = symbol

    def find(self, name: str) -> Symbol | None:
        """What `name` means here, or None."""
        for scope in reversed(self._stack):
            if name in scope:
                return scope[name]
        return None

    def names(self) -> Iterable[str]:
        """Every name that can be read here, innermost first."""
        for scope in reversed(self._stack):
            yield from scope
