"""Integers of a nest as polynomials in axes and parameters, and what an expression depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import ARITHMETIC, Polynomial, combined, constant, made_of
from transpiler.analysis.values import is_integer
from transpiler.ir import nodes as ir
from transpiler.ir.visit import Rewriter, child_expressions

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping


def named_values(kernel: ir.Kernel) -> dict[ir.Symbol, ir.Expression]:
    """The values of a kernel's names, without the variables that get others later."""
    lets = (it for it in kernel.body.contents.statements if isinstance(it, ir.Let))
    return {it.symbol: it.value for it in lets if not it.symbol.is_mutable}


class Indices:
    """The integers of a nest; `definitions` are the values of its names, each found once.

    Two expressions have one key if they are made alike, names replaced by what they stand for. Memory is as if it never
    changed: who compares what is loaded has to know that nothing is stored in between.
    """

    def __init__(self, definitions: Mapping[ir.Symbol, ir.Expression]) -> None:
        self._definitions = definitions
        self._atoms: dict[Hashable, int] = {}
        self._symbols: list[ir.Symbol | None] = []
        self._inside: list[frozenset[ir.Symbol]] = []
        self._polynomials: dict[int, tuple[ir.Expression, Polynomial]] = {}
        self._dependence: dict[int, tuple[ir.Expression, frozenset[ir.Symbol]]] = {}

    # --- Polynomials ------------------------------------------------------------------------------

    def polynomial(self, node: ir.Expression) -> Polynomial:
        """An integer as a polynomial; what is no sum or product is one atom."""
        known = self._polynomials.get(id(node))
        if known is None:
            # The node is kept, so that no other one takes its identity.
            known = self._polynomials[id(node)] = (node, self._computed(node))
        return known[1]

    def _computed(self, node: ir.Expression) -> Polynomial:
        found: Polynomial | None = None
        match node:
            case ir.Literal(value=int() as value):
                return constant(int(value))
            case ir.Read(symbol=symbol):
                defined = self._definitions.get(symbol)
                return self.of(symbol) if defined is None else self.polynomial(defined)
            case ir.Unary(operator=ir.UnaryOperator.NEGATE, operand=operand):
                return -self.polynomial(operand)
            case ir.Binary(operator=operator, left=left, right=right) if operator in ARITHMETIC:
                found = combined(operator, self.polynomial(left), self.polynomial(right))
            case ir.Cast(operand=operand, kind=ir.CastKind.MATERIALISE) if is_integer(operand):
                return self.polynomial(operand)
            case _:
                pass
        return self._opaque(node) if found is None else found

    def of(self, symbol: ir.Symbol) -> Polynomial:
        """A symbol as a polynomial."""
        return Polynomial((((self.atom(symbol),), 1),))

    def atom(self, symbol: ir.Symbol) -> int:
        """The index of the atom that a symbol is."""
        return self._atom(symbol, symbol, frozenset({symbol}))

    def symbol(self, atom: int) -> ir.Symbol | None:
        """The symbol that an atom is, None where it is an expression."""
        return self._symbols[atom]

    def argument(self, atom: int) -> ir.Symbol | None:
        """The symbol that an atom is, None where it is no argument of the launch."""
        symbol = self._symbols[atom]
        return symbol if symbol is not None and symbol.kind in _ARGUMENTS else None

    def inside(self, atom: int) -> frozenset[ir.Symbol]:
        """The symbols an atom depends on."""
        return self._inside[atom]

    def _opaque(self, node: ir.Expression) -> Polynomial:
        atom = self._atom(self._made_of(node), None, self.depends_on(node))
        return Polynomial((((atom,), 1),))

    def _atom(self, key: Hashable, symbol: ir.Symbol | None, inside: frozenset[ir.Symbol]) -> int:
        index = self._atoms.get(key)
        if index is None:
            index = self._atoms[key] = len(self._symbols)
            self._symbols.append(symbol)
            self._inside.append(inside)
        return index

    def coefficient(self, polynomial: Polynomial, symbol: ir.Symbol) -> Polynomial | None:
        """What a symbol is multiplied by in a polynomial; None where it is in it in another way."""
        atom = self.atom(symbol)
        for product, _ in polynomial.terms:
            if product.count(atom) > 1 or any(
                symbol in self._inside[index] for index in product if index != atom
            ):
                return None
        return polynomial.coefficient(atom)

    def without(self, polynomial: Polynomial, symbols: Iterable[ir.Symbol]) -> Polynomial:
        """The terms of a polynomial that none of the symbols is in."""
        left = set(symbols)
        return made_of(
            {
                product: factor
                for product, factor in polynomial.terms
                if all(left.isdisjoint(self._inside[index]) for index in product)
            }
        )

    def resolved(self, node: ir.Expression) -> ir.Expression:
        """What a name stands for, as far as it has a definition."""
        while isinstance(node, ir.Read) and node.symbol in self._definitions:
            node = self._definitions[node.symbol]
        return node

    # --- Keys -------------------------------------------------------------------------------------

    def key(self, node: ir.Expression) -> Hashable:
        """What an expression is made of, wherever it stands."""
        if (
            isinstance(node, ir.Binary)
            and is_integer(node)
            and node.operator in ARITHMETIC
            and not node.operator.is_division
        ):
            return self.polynomial(node)
        return self._made_of(node)

    def _made_of(self, node: ir.Expression) -> Hashable:
        """The key of an expression by its parts, also of a product of too many factors for a polynomial."""
        match node:
            case ir.Read(symbol=symbol):
                defined = self._definitions.get(symbol)
                return symbol if defined is None else self.key(defined)
            case ir.Literal(value=value):
                return (type(value), value)
            case ir.Unary(operator=operator, operand=operand):
                return (operator, self.key(operand))
            case ir.Binary(operator=operator, left=left, right=right):
                return (operator, self.key(left), self.key(right))
            case ir.Cast(kind=kind, operand=operand):
                return (kind, getattr(node.type, "dtype", None), self.key(operand))
            case ir.OpCall():
                return (node.op.name, node.dtypes, *map(self._argument_key, node.arguments))
            case _:
                return (type(node), *map(self.key, child_expressions(node)))

    def _argument_key(self, node: ir.Argument) -> Hashable:
        match node:
            case ir.AbsentArgument():
                return None
            case ir.ListArgument():
                return tuple(map(self.key, node.elements))
            case ir.EnumArgument():
                return (node.enum, node.member)
            case ir.FlagArgument() | ir.TextArgument():
                return node.value
            case ir.FunctionArgument():
                return node.function
            case _:
                return self.key(node)

    def depends_on(self, node: ir.Expression) -> frozenset[ir.Symbol]:
        """The symbols without a definition that an expression is computed from."""
        known = self._dependence.get(id(node))
        if known is None:
            if isinstance(node, ir.Read):
                defined = self._definitions.get(node.symbol)
                found = frozenset({node.symbol}) if defined is None else self.depends_on(defined)
            else:
                found = frozenset[ir.Symbol]().union(*map(self.depends_on, child_expressions(node)))
            known = self._dependence[id(node)] = (node, found)
        return known[1]


class Inlined(Rewriter):
    """Puts what names stand for in their place."""

    def __init__(self, indices: Indices) -> None:
        self._indices = indices

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        """What a name stands for, the names in that replaced too."""
        found = self._indices.resolved(node)
        return node if found is node else self.expression(found)


_ARGUMENTS = frozenset({ir.SymbolKind.PARAMETER, ir.SymbolKind.CONST_GENERIC})
