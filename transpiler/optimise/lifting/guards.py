"""Guards at the start of a kernel: `if row >= n { return; }`, or `if row < n { … }` around all the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named
from transpiler.ir.launch_plan import GRID_NAMES, Quantity
from transpiler.ir.types import I32
from transpiler.optimise.grid import AXIS_MEMBERS
from transpiler.optimise.nests.extents import extent_of, least
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from transpiler.ir.extent import Extent
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span

_FROM, _UP_TO = ir.BinaryOperator.GREATER_EQUAL, ir.BinaryOperator.LESS_EQUAL
_BELOW, _ABOVE = ir.BinaryOperator.LESS, ir.BinaryOperator.GREATER


class Guard(NamedTuple):
    """An axis of the grid, and the number from which on its programs do nothing."""

    member: str
    limit: Extent


class Unguarded(NamedTuple):
    """The statements that programs before all limits execute."""

    guards: tuple[Guard, ...]
    statements: tuple[ir.Statement, ...]


class End(NamedTuple):
    """Where the programs of an axis begin to do nothing: a parameter, and what it is at a launch."""

    symbol: ir.Symbol
    quantity: Quantity


def end_of(
    axis: str, place: int, guards: Iterable[Guard], symbols: Symbols, span: Span
) -> End | None:
    """Where an axis of the grid called `axis` ends by some guards; None where it does not before the grid."""
    member = AXIS_MEMBERS[place]
    limits = [guard.limit for guard in guards if guard.member == member]
    if not limits:
        return None
    symbol = symbols.new(f"{axis}_end", I32, span, ir.SymbolKind.PARAMETER)
    return End(symbol, Quantity(name=symbol.name, value=least(Named(GRID_NAMES[place]), *limits)))


def unguarded(
    statements: tuple[ir.Statement, ...], indices: Indices, members: Collection[str]
) -> Unguarded:
    """A kernel's statements without the guards of some axes, before which it only gives names to values."""
    found: list[Guard] = []
    kept: list[ir.Statement] = []
    pending = list(statements)
    while pending:
        statement = pending.pop(0)
        guard = None
        match statement:
            case ir.If(then_block=ir.Block(statements=(ir.Return(value=None),)), else_block=None):
                guard = _guard(statement.condition, _FROM, _UP_TO, indices, members)
            case ir.If(else_block=None) if not pending:
                guard = _guard(statement.condition, _BELOW, _ABOVE, indices, members)
                if guard is not None:
                    pending = list(statement.then_block.statements)
            case ir.Let():
                pass
            case _:
                return Unguarded(tuple(found), (*kept, statement, *pending))
        if guard is None:
            kept.append(statement)
        else:
            found.append(guard)
    return Unguarded(tuple(found), tuple(kept))


def _guard(
    condition: ir.Expression,
    forward: ir.BinaryOperator,
    backward: ir.BinaryOperator,
    indices: Indices,
    members: Collection[str],
) -> Guard | None:
    """What a condition compares a program's place with, on either side."""
    if not isinstance(condition, ir.Binary):
        return None
    left, right = condition.left, condition.right
    if condition.operator is backward:
        left, right = right, left
    elif condition.operator is not forward:
        return None
    match indices.resolved(left):
        case ir.OpCall(op=op, arguments=(ir.EnumArgument(member=member),)) if op.is_program_id:
            limit = extent_of(indices.polynomial(right), indices)
            return None if limit is None or member not in members else Guard(member, limit)
        case _:
            return None
