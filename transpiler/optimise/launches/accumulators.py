"""The variables of reductions in a stage: tiles that terms are combined into, and what is made of their lanes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import NamedDimension, Tensor
from transpiler.ir.visit import walk_statements
from transpiler.ops.table import OPS
from transpiler.optimise.build import Build, broadcast, dtype_of, shape_of
from transpiler.optimise.nests.work import axes_around
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from transpiler.optimise.launches.beyond import Beyond
    from transpiler.optimise.launches.lane_masks import Scope
    from transpiler.optimise.launches.layout import Lanes, Layout
    from transpiler.optimise.nests.nest import Accumulate, Loop, Reduction
    from transpiler.optimise.symbols import Symbols


class Accumulators:
    """Those of one stage. `blocks` are the extents of its tiles by their names."""

    def __init__(
        self,
        layout: Layout,
        scope: Scope,
        beyond: Beyond,
        symbols: Symbols,
        blocks: Mapping[str, ir.Symbol],
    ) -> None:
        self._layout = layout
        self._scope = scope
        self._beyond = beyond
        self._symbols = symbols
        self._blocks = blocks
        self._open: dict[ir.Symbol, tuple[Reduction, ir.Symbol]] = {}
        self._terms: dict[ir.Symbol, ir.Expression] = {}
        """The terms of reductions that combine one, with nothing."""

    def started(self, reduction: Reduction, loop: Loop, initial: ir.Expression | None) -> ir.Let:
        """The variable, which starts from the identity or `initial`: as many lanes as what is combined into it."""
        inside = self._combined_along(reduction, loop)
        shape: list[NamedDimension | int] = []
        extents: list[ir.Expression] = []
        build = Build(reduction.span)
        for lanes in self._layout.lanes:
            is_there = _has_axis(lanes, inside) or any(
                it.lanes is lanes for it in self._scope.lanes
            )
            shape.append(NamedDimension(name=lanes.block) if is_there else 1)
            block = build.read(self._blocks[lanes.block])
            extents.append(block if is_there else build.number(1))
        dtype = dtype_of(reduction.symbol)
        if initial is None:
            initial = build.literal(reduction.combine.identity, dtype)
        if shape_of(initial.type):
            listed = ir.ListArgument(span=build.span, elements=tuple(extents))
            type_ = Tensor(dtype=dtype, shape=tuple(shape))
            value: ir.Expression = build.call(OPS["broadcast_to"], (dtype,), type_, initial, listed)
        else:
            value = build.full(tuple(shape), tuple(extents), initial)
        variable = replace(self._symbols.like(reduction.symbol, value.type), is_mutable=True)
        self._open[reduction.symbol] = (reduction, variable)
        return ir.Let(span=reduction.span, symbol=variable, value=value, layout=reduction.layout)

    def combined(self, item: Accumulate, term: ir.Expression) -> ir.Assign:
        """A term combined into its variable; where its lanes do not exist, the identity is."""
        reduction, variable = self._open[item.symbol]
        combine = reduction.combine
        term = self._beyond.combined(term, combine.identity)
        if combine.pairwise is None:
            operator = combine.reduce.combines
            if not isinstance(operator, ir.BinaryOperator):
                raise TypeError("a reduction combines by an operator or an operation")
            return ir.Assign(
                span=item.span, symbol=variable, value=term, operator=operator, layout=item.layout
            )
        before = Build(item.span).read(variable)
        type_ = Tensor(dtype=dtype_of(before), shape=broadcast(before.type, term.type))
        value = Build(item.span).call(combine.pairwise, (dtype_of(before),), type_, before, term)
        return ir.Assign(span=item.span, symbol=variable, value=value, layout=item.layout)

    def only_term(
        self, reduction: Reduction, variable: ir.Let, body: Sequence[ir.Statement]
    ) -> int | None:
        """Where in `body` the one term of a reduction is combined into the identity, if that is all that is done.

        Then there needs to be no variable: the term is what its lanes are made one of. Nothing may be stored behind it,
        which it might read.
        """
        if reduction.initial is not None:
            return None
        found = [
            (place, it)
            for place, statement in enumerate(body)
            for it in _assigned(statement, variable.symbol)
        ]
        if len(found) != 1:
            return None
        ((place, assignment),) = found
        term = _term(assignment)
        shape = shape_of(variable.symbol.type)
        if (
            assignment is not body[place]
            or shape_of(term.type) != shape
            or dtype_of(term) != dtype_of(variable.symbol)
            or any(isinstance(it, ir.Evaluate) for it in body[place:])
        ):
            return None
        self._terms[reduction.symbol] = term
        return place

    def ended(self, reduction: Reduction, loop: Loop) -> ir.Let:
        """The result: the lanes of axes that are reduced made one."""
        _, variable = self._open.pop(reduction.symbol)
        build = Build(reduction.span)
        value = self._terms.pop(reduction.symbol, None) or build.read(variable)
        shape = shape_of(variable.type)
        dtype = dtype_of(variable)
        inside = self._combined_along(reduction, loop)
        reduced = [place for place, it in enumerate(self._layout.lanes) if _has_axis(it, inside)]
        keep = ir.FlagArgument(span=build.span, value=True)
        none = ir.AbsentArgument(span=build.span)
        if all(extent == 1 for place, extent in enumerate(shape) if place not in reduced):
            drop = ir.FlagArgument(span=build.span, value=False)
            type_ = Tensor(dtype=dtype, shape=())
            value = build.call(reduction.combine.reduce, (dtype,), type_, value, none, drop)
        else:
            for place in reduced:
                shape = (*shape[:place], 1, *shape[place + 1 :])
                type_ = Tensor(dtype=dtype, shape=shape)
                value = build.call(
                    reduction.combine.reduce, (dtype,), type_, value, build.number(place), keep
                )
        name = replace(variable, name=reduction.name)
        result = replace(self._symbols.like(name, value.type), is_mutable=False)
        return ir.Let(
            span=reduction.span, symbol=result, value=value, layout=reduction.result_layout
        )

    def _combined_along(self, reduction: Reduction, loop: Loop) -> frozenset[ir.Symbol]:
        """The axes of the loops in which terms are combined into it: what has lanes along them has these, too."""
        lanes = {axis.symbol for it in self._layout.lanes for axis in it.axes}
        found = {axes & lanes for axes in axes_around(reduction.symbol, loop)}
        if len(found) > 1:
            reason = f"`{reduction.name}` is combined with something beside a loop and in it"
            refuse(reason, reduction.span)
        return frozenset().union(*found)


def _assigned(statement: ir.Statement, symbol: ir.Symbol) -> list[ir.Assign]:
    block = ir.Block(span=statement.span, statements=(statement,))
    return [
        it for it in walk_statements(block) if isinstance(it, ir.Assign) and it.symbol == symbol
    ]


def _term(assignment: ir.Assign) -> ir.Expression:
    """What an assignment combines into its variable."""
    match assignment:
        case ir.Assign(operator=None, value=ir.OpCall() as call):
            _, term, *_ = operands(call)
            return term
        case _:
            return assignment.value


def _has_axis(lanes: Lanes, symbols: frozenset[ir.Symbol]) -> bool:
    return any(axis.symbol in symbols for axis in lanes.axes)
