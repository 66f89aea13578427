"""A kernel that is no nest, for a tile of programs along one axis of the grid.

Whatever the kernel does stays as it is, in the order in which it does it; it does it for several programs at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from transpiler.analysis.effects import Failures
from transpiler.analysis.facts import Facts
from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named, Number
from transpiler.ir.launch_plan import GRID_NAMES, Quantity, Stage, Tile, Variant
from transpiler.ir.types import I32, DType, NamedDimension, Tensor
from transpiler.ir.visit import walk_expression
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import Effect
from transpiler.optimise import shapes
from transpiler.optimise.build import Build
from transpiler.optimise.context import ranges_of
from transpiler.optimise.documentation import documentation
from transpiler.optimise.extents import (
    at_least,
    greatest,
    least,
    power_of_two,
    rounded_down,
    rounded_up,
    times,
)
from transpiler.optimise.guards import unguarded
from transpiler.optimise.indices import Indices
from transpiler.optimise.refusals import RefusedError, refuse
from transpiler.optimise.widen_axis import Order, extents, order_of, reached
from transpiler.optimise.widen_frame import Frame, Varying, is_program
from transpiler.optimise.widen_statements import Widener

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.ir.extent import AtLeast, Extent
    from transpiler.ir.types import Dimension
    from transpiler.optimise.shapes import WidenedShape
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span


class Widened(NamedTuple):
    """What is launched in the place of a kernel: `tile` programs at a time along the axis that it calls `axis`."""

    variant: Variant
    tile: str
    axis: str
    span: Span


def widen(
    kernel: ir.Kernel,
    functions: Mapping[ir.FunctionSymbol, ir.Function],
    symbols: Symbols,
    name: str,
) -> Widened:
    """The kernel with a tile of programs along one axis of its grid, called `name`.

    Raises:
        RefusedError: it has no such form, or nothing would be gained by it.
    """
    facts = Facts(kernel, functions)
    own = extents(kernel)
    accesses = reached(facts)
    refused: RefusedError | None = None
    for order in (Order.PROGRAMS, Order.OWN, Order.ALONE):
        for member in _members(kernel):
            try:
                varying = Varying(kernel, member)
                if order_of(facts, varying, accesses, own) is order:
                    failures = Failures(functions, ranges_of(kernel).of)
                    return _Widening(kernel, symbols, varying, failures, order, own).made(name)
            except RefusedError as refusal:
                refused = refused or refusal
    if refused is None:
        refuse("there is one program", kernel.name_span)
    raise refused


def _members(kernel: ir.Kernel) -> Iterator[str]:
    """The axes of the grid along which a kernel asks for its place."""
    for member in ENUMS["Axis"]:
        if any(is_program(node, member) for node in kernel.body.contents.expressions):
            yield member


class _Widening:
    def __init__(
        self,
        kernel: ir.Kernel,
        symbols: Symbols,
        varying: Varying,
        failures: Failures,
        order: Order,
        own: tuple[Dimension, ...],
    ) -> None:
        self._kernel = kernel
        self._symbols = symbols
        self._member = member = varying.member
        self._order = order
        self._own = own
        self._place = list(ENUMS["Axis"]).index(member)
        self._named = next(
            (
                it
                for it in kernel.body.statements
                if isinstance(it, ir.Let) and is_program(it.value, member)
            ),
            None,
        )
        self._varying = varying
        self._failures = failures
        lets = [it for it in kernel.body.contents.statements if isinstance(it, ir.Let)]
        self._indices = Indices({it.symbol: it.value for it in lets if not it.symbol.is_mutable})

    def made(self, name: str) -> Widened:
        kernel, symbols = self._kernel, self._symbols
        span = kernel.name_span if self._named is None else self._named.span
        called = self._called()
        tile = symbols.new(self._tile_name(called), I32, span, ir.SymbolKind.CONST_GENERIC)
        limits, statements = self._unguarded()
        end = symbols.grid(self._place, span)
        extent: Extent = Named(GRID_NAMES[self._place])
        quantities: tuple[Quantity, ...] = ()
        if limits:
            extent = least(extent, *limits)
            end = symbols.new(f"{called}_end", I32, span, ir.SymbolKind.PARAMETER)
            quantities = (Quantity(name=end.name, value=extent),)
            extent = Named(end.name)
        frame = self._frame(called, tile, span)
        body = (
            *self._head(frame, end, span),
            *Widener(kernel, frame, self._varying, symbols, self._failures).statements(statements),
        )
        block = _without_dead(replace(kernel.body, statements=body))
        read = {it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)}
        stage = replace(
            kernel,
            name=name,
            docs=documentation(
                f"Each program does what `{tile.name}` programs of the kernel do.", kernel.name
            ),
            parameters=(*(it for it in kernel.parameters if it in read), end),
            const_generics=(*(it for it in kernel.const_generics if it in read), tile),
            body=block,
            backward=None,
            backward_span=None,
        )
        grid: list[Extent] = list(map(Named, GRID_NAMES))
        grid[self._place] = rounded_up(extent, Named(tile.name))
        shape = shapes.WIDENED[self._order]
        launched = Stage(
            kernel=stage,
            grid=tuple(grid),
            tiles=(
                Tile(
                    name=tile.name,
                    default=self._default(shape, extent),
                    choices=shape.choices,
                    limit=extent,
                ),
            ),
            warps=shape.warps,
        )
        variant = Variant(
            conditions=tuple(self._conditions(shape, limits)),
            quantities=quantities,
            scratch=(),
            stages=(launched,),
        )
        return Widened(variant, tile.name, called, span)

    # --- Names ------------------------------------------------------------------------------------

    def _called(self) -> str:
        return f"pid_{self._member.lower()}" if self._named is None else self._named.symbol.name

    def _tile_name(self, called: str) -> str:
        name = f"TILE_{called.upper()}"
        while any(
            name == it.name for it in (*self._kernel.parameters, *self._kernel.const_generics)
        ):
            name += "_"
        return name

    def _frame(self, called: str, tile: ir.Symbol, span: Span) -> Frame:
        rank = 2 if self._own else 1
        place = 0 if self._order is not Order.PROGRAMS else 1
        lanes: list[Dimension] = [1] * rank
        lanes[place] = NamedDimension(name=tile.name)
        index = self._symbols.new(called, Tensor(dtype=DType.I32, shape=tuple(lanes)), span)
        exists = self._symbols.new(
            f"{called}_mask", Tensor(dtype=DType.BOOL, shape=tuple(lanes)), span
        )
        return Frame(self._member, place, rank, tile, index, exists)

    def _head(self, frame: Frame, end: ir.Symbol, span: Span) -> Iterator[ir.Statement]:
        """The programs of a tile, and which of them there are."""
        build = Build(span)
        program = next(
            it for it in self._kernel.body.contents.expressions if is_program(it, self._member)
        )
        first = build.multiply(program, build.read(frame.tile))
        dimension = NamedDimension(name=frame.tile.name)
        lanes = build.lanes(frame.tile, dimension, frame.place, frame.rank)
        note = f"block-axis: a program does {frame.tile.name} indices of {frame.programs.name}."
        comments = () if self._named is None else self._named.layout.comments
        yield ir.Let(
            span=span,
            symbol=frame.programs,
            value=build.add(first, lanes),
            layout=ir.Layout(comments=(*comments, note)),
        )
        exists = build.less(build.read(frame.programs), build.read(end))
        yield ir.Let(span=span, symbol=frame.exists, value=exists)

    # --- Programs that do nothing -----------------------------------------------------------------

    def _unguarded(self) -> tuple[tuple[Extent, ...], tuple[ir.Statement, ...]]:
        """The ends from which on programs do nothing, and the statements of those before."""
        found = unguarded(self._kernel.body.statements, self._indices, (self._member,))
        return tuple(it.limit for it in found.guards), found.statements

    # --- Numbers ----------------------------------------------------------------------------------

    def _longest(self) -> Extent | None:
        """The extent of the longest of the kernel's own tiles."""
        found: list[Extent] = [
            Named(it.name) if isinstance(it, NamedDimension) else Number(it)
            for it in self._own
            if isinstance(it, NamedDimension | int)
        ]
        if not found:
            return None
        return found[0] if len(found) == 1 else greatest(*found)

    def _default(self, shape: WidenedShape, extent: Extent) -> Extent:
        """The programs of a tile: long ones, and those that are far apart anyway, are shared out first."""
        own = self._longest()
        most: list[Extent] = [Number(shape.programs)] if shape.programs < shape.lanes else []
        most.append(Number(shape.lanes) if own is None else rounded_down(Number(shape.lanes), own))
        if self._order is Order.OWN and not self._has_loops():
            return least(*most, power_of_two(extent))
        others = (
            Named(name)
            for name, member in zip(GRID_NAMES, ENUMS["Axis"], strict=True)
            if member != self._member and member in _members(self._kernel)
        )
        programs = times(extent, *others)
        enough = power_of_two(rounded_up(programs, Number(2 * shapes.WIDENED_PROGRAMS)))
        if shape.least > 1:
            enough = greatest(Number(shape.least), enough)
        # No more of them than there are, where other axes of the grid have programs as well.
        return least(*most, enough, *([] if programs == extent else [power_of_two(extent)]))

    def _has_loops(self) -> bool:
        return any(
            isinstance(it, ir.For | ir.While) for it in self._kernel.body.contents.statements
        )

    def _conditions(self, shape: WidenedShape, limits: tuple[Extent, ...]) -> Iterator[AtLeast]:
        for dimension in self._own:
            match dimension:
                case NamedDimension(name=name):
                    yield at_least(Number(shape.own), Named(name))
                case int() if dimension > shape.own:
                    refuse("its tiles are long as they are", self._kernel.name_span)
                case _:
                    pass
        for limit in limits:
            yield at_least(limit, 1)


def _without_dead(block: ir.Block) -> ir.Block:
    """The statements without names nobody reads any more, of what only computes."""
    while True:
        read = {it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)}
        kept = tuple(it for it in block.statements if not _is_dead(it, read))
        if len(kept) == len(block.statements):
            return block
        block = replace(block, statements=kept)


def _is_dead(statement: ir.Statement, read: set[ir.Symbol]) -> bool:
    return (
        isinstance(statement, ir.Let)
        and statement.symbol not in read
        and not statement.symbol.is_mutable
        and not any(
            isinstance(it, ir.Call) or (isinstance(it, ir.OpCall) and it.op.effect in _EFFECTS)
            for it in walk_expression(statement.value)
        )
    )


_EFFECTS = frozenset(Effect) - {Effect.PURE, Effect.READS}
