"""Rust's block scoping: which symbol a name means at a place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from transpiler.syntax.hygiene import NO_MACROS, ROOT_CONTEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.ir.nodes import Symbol
    from transpiler.syntax.hygiene import Hygiene


class Scopes:
    """A stack of scopes; an inner name hides an outer one, a later one of a scope an earlier one.

    A name is a spelling and the syntax context it was written in.
    """

    def __init__(self, hygiene: Hygiene = NO_MACROS) -> None:
        self.hygiene = hygiene
        self._stack: list[dict[tuple[str, int], Symbol]] = [{}]
        self._at_definition: dict[int, dict[tuple[str, int], Symbol]] = {}
        self._generics: dict[str, Symbol] = {}

    @contextmanager
    def nested(self) -> Iterator[None]:
        """A scope that ends with the `with` block."""
        self._stack.append({})
        try:
            yield
        finally:
            self._stack.pop()

    def declare(self, symbol: Symbol, context: int = ROOT_CONTEXT) -> None:
        """Bind the symbol's name from here on."""
        self.rename(symbol.name, symbol, context)

    def rename(self, name: str, symbol: Symbol, context: int = ROOT_CONTEXT) -> None:
        """Bind another name to the symbol from here on."""
        self._stack[-1][name, context] = symbol

    def declare_generic(self, name: str, symbol: Symbol) -> None:
        """Bind the name of a const generic, which is read in every syntax context."""
        self._generics[name] = symbol

    def define_macro(self, definition: int) -> None:
        """A macro is defined here: what it reads and does not bind itself is what is in scope now."""
        self._at_definition[definition] = {
            key: symbol for scope in self._stack for key, symbol in scope.items()
        }

    def find(self, name: str, context: int = ROOT_CONTEXT) -> Symbol | None:
        """What `name`, written in `context`, means here, or None."""
        for scope in reversed(self._stack):
            if (name, context) in scope:
                return scope[name, context]
        while context != ROOT_CONTEXT:
            context, definition = self.hygiene.contexts[context]
            symbol = self._at_definition.get(definition, {}).get((name, context))
            if symbol is not None:
                return symbol
        return self._generics.get(name)

    def is_hidden(self, name: str, context: int) -> bool:
        """Whether a variable of this name is here that a macro's body, written in `context`, does not see."""
        return context != ROOT_CONTEXT and any(
            (name, ROOT_CONTEXT) in scope for scope in self._stack
        )

    def names(self) -> Iterable[str]:
        """Every name that can be read here, innermost first."""
        for scope in reversed(self._stack):
            yield from (name for name, _ in scope)
        yield from self._generics
