"""Checks a generated module before anybody sees it: it compiles, and every name it reads is bound."""

from __future__ import annotations

import builtins
import symtable
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


class EmissionError(Exception):
    """The emitter made a module that is no valid Python: a fault of the compiler, not of its input."""


def validate(text: str, name: str) -> dict[str, int]:
    """Check the module `text` and tell where its functions start.

    Returns:
        For each function of the module the line of its first decorator, or of its `def`.

    Raises:
        EmissionError: the text does not compile, or reads a name that nothing binds.
    """
    try:
        code = compile(text, name, "exec", dont_inherit=True)
        table = symtable.symtable(text, name, "exec")
    except (SyntaxError, ValueError) as error:
        raise EmissionError(f"the generated module does not compile: {error}") from error
    bound = {symbol.get_name() for symbol in table.get_symbols() if _is_bound(symbol)}
    for scope in _scopes(table):
        for symbol in scope.get_symbols():
            is_free = symbol.is_global() or scope is table
            if symbol.is_referenced() and is_free and symbol.get_name() not in bound | _BUILTINS:
                raise EmissionError(
                    f"the generated module reads {symbol.get_name()!r} in {scope.get_name()!r},"
                    " which nothing binds"
                )
    return {
        constant.co_name: constant.co_firstlineno
        for constant in code.co_consts
        if isinstance(constant, CodeType)
    }


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
