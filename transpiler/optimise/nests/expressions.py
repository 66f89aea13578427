"""Expressions of a nest from polynomials, and with names replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.values import is_integer
from transpiler.ir import nodes as ir
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.visit import Rewriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transpiler.analysis.polynomial import Polynomial
    from transpiler.optimise.build import Build
    from transpiler.optimise.nests.indices import Indices


def expression_of(polynomial: Polynomial, indices: Indices, build: Build) -> ir.Expression | None:
    """A polynomial as an expression; None where an atom of it is no symbol."""
    total: ir.Expression | None = None
    for product, factor in polynomial.terms:
        term: ir.Expression = build.number(abs(factor))
        symbols = [symbol for index in product if (symbol := indices.symbol(index)) is not None]
        if len(symbols) < len(product):
            return None
        for symbol in sorted(symbols, key=place_among_factors):
            term = build.multiply(term, build.read(symbol))
        if total is None:
            total = term if factor > 0 else build.subtract(build.number(0), term)
        else:
            total = build.add(total, term) if factor > 0 else build.subtract(total, term)
    return build.number(0) if total is None else total


def place_among_factors(symbol: ir.Symbol) -> tuple[int, int]:
    """The order in which people write `image * C * HW`: an index, then extents, outer ones first."""
    if symbol.kind is ir.SymbolKind.LOCAL:
        return 0, symbol.id
    return (1 if symbol.name in GRID_NAMES else 2), symbol.id


class Substitution(Rewriter):
    """Puts expressions in the place of symbols."""

    def __init__(self, values: Mapping[ir.Symbol, ir.Expression]) -> None:
        self._values = values

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        """A read of a symbol is replaced."""
        if isinstance(node, ir.Read):
            return self._values.get(node.symbol, node)
        return node


class Renaming(Rewriter):
    """Puts symbols in the place of symbols, where they are declared as well."""

    def __init__(self, symbols: Mapping[ir.Symbol, ir.Symbol]) -> None:
        self._symbols = symbols

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        """A symbol is replaced."""
        return self._symbols.get(symbol, symbol)


class IntegerRewriter(Rewriter):
    """Replaces whole integers: `change` is asked about the largest ones first, and gives None for those that stay."""

    def __init__(self, change: Callable[[ir.Expression], ir.Expression | None]) -> None:
        self._change = change

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression with its integers replaced."""
        if is_integer(node):
            changed = self._change(node)
            if changed is not None:
                return changed
        return self.expression_parts(node)
