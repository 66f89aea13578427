"""A kernel that is no nest, for a tile of programs along one axis of the grid.

Whatever the kernel does stays as it is, in the order in which it does it; it does it for several programs at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.effects import READ_ONLY, Failures, effects_of, is_volatile
from transpiler.analysis.facts import Facts
from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named
from transpiler.ir.launch_plan import GRID_NAMES, Stage, Variant
from transpiler.ir.types import I32, DType, NamedDimension, Tensor
from transpiler.ir.visit import walk_expression
from transpiler.optimise.build import Build
from transpiler.optimise.classic.context import ranges_of
from transpiler.optimise.documentation import documentation
from transpiler.optimise.grid import AXIS_MEMBERS, is_program, program_name
from transpiler.optimise.lifting.guards import end_of, unguarded
from transpiler.optimise.nests.extents import (
    at_least,
    rounded_up,
)
from transpiler.optimise.nests.indices import Indices, named_values
from transpiler.optimise.nests.outright import outright
from transpiler.optimise.paragraphs import below, kept
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.widening.widen_axis import choices, extents
from transpiler.optimise.widening.widen_frame import Frame, Order, Varying
from transpiler.optimise.widening.widen_sizes import Sizes
from transpiler.optimise.widening.widen_statements import StatementWidener
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.ir.extent import Extent
    from transpiler.ir.types import Dimension
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
    failures = Failures(functions, ranges_of(kernel).of)
    refused: list[RefusedError] = []
    for varying, order in choices(kernel, facts, own):
        try:
            sizes = Sizes(kernel, varying.member, order, own)
            return _Widening(kernel, symbols, varying, failures, sizes).made(name)
        except RefusedError as refusal:
            refused.append(refusal)
    raise refused[0]


class _Widening:
    def __init__(
        self,
        kernel: ir.Kernel,
        symbols: Symbols,
        varying: Varying,
        failures: Failures,
        sizes: Sizes,
    ) -> None:
        self._kernel = kernel
        self._symbols = symbols
        self._member = member = varying.member
        self._sizes = sizes
        self._place = AXIS_MEMBERS.index(member)
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

    def made(self, name: str) -> Widened:
        kernel, symbols = self._kernel, self._symbols
        span = kernel.name_span if self._named is None else self._named.span
        called = self._called()
        tile = symbols.new(self._tile_name(called), I32, span, ir.SymbolKind.CONST_GENERIC)
        indices = Indices(named_values(kernel))
        guards, statements = unguarded(kernel.body.statements, indices, (self._member,))
        end = end_of(called, self._place, guards, symbols, span)
        stop = symbols.grid(self._place, span) if end is None else end.symbol
        extent = Named(stop.name)
        frame = self._frame(called, tile, span)
        widener = StatementWidener(kernel, frame, self._varying, symbols, self._failures)
        # What the place of the program is stands apart from what is done there.
        widened = below(ir.Layout(blank_before=True), list(widener.statements(statements)))
        body = (*self._head(frame, stop, span), *widened)
        block = _without_dead(replace(kernel.body, statements=body))
        read = {it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)}
        stage = replace(
            kernel,
            name=name,
            docs=documentation(
                f"Each program does what `{tile.name}` programs of the kernel do.", kernel.name
            ),
            parameters=(*(it for it in kernel.parameters if it in read), stop),
            const_generics=(*(it for it in kernel.const_generics if it in read), tile),
            body=block,
            backward=None,
            backward_span=None,
        )
        grid: list[Extent] = list(map(Named, GRID_NAMES))
        grid[self._place] = rounded_up(extent, Named(tile.name))
        launched = Stage(
            kernel=stage,
            grid=tuple(grid),
            tiles=(self._sizes.tile(tile.name, extent),),
            warps=self._sizes.warps,
        )
        quantities = () if end is None else (end.quantity,)
        variant = Variant(
            conditions=tuple(
                outright(it, quantities)
                for it in (*self._sizes.pays(extent), *(at_least(it.limit, 1) for it in guards))
            ),
            quantities=quantities,
            scratch=(),
            stages=(launched,),
        )
        return Widened(variant, tile.name, called, span)

    # --- Names ------------------------------------------------------------------------------------

    def _called(self) -> str:
        return program_name(self._member) if self._named is None else self._named.symbol.name

    def _tile_name(self, called: str) -> str:
        name = f"TILE_{called.upper()}"
        while any(
            name == it.name for it in (*self._kernel.parameters, *self._kernel.const_generics)
        ):
            name += "_"
        return name

    def _frame(self, called: str, tile: ir.Symbol, span: Span) -> Frame:
        rank = 2 if self._sizes.own else 1
        place = 0 if self._sizes.order is not Order.PROGRAMS else 1
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


def _without_dead(block: ir.Block) -> ir.Block:
    """The statements without names nobody reads any more, of what only computes."""
    while len(living := _living(block)) < len(block.statements):
        block = replace(block, statements=living)
    return block


def _living(block: ir.Block) -> tuple[ir.Statement, ...]:
    read = {it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)}
    return kept(block.statements, lambda it: not _is_dead(it, read))


def _is_dead(statement: ir.Statement, read: set[ir.Symbol]) -> bool:
    if not isinstance(statement, ir.Let) or statement.symbol.is_mutable:
        return False
    inside = list(walk_expression(statement.value))
    return statement.symbol not in read and not (
        effects_of(inside) - READ_ONLY or any(map(is_volatile, inside))
    )
