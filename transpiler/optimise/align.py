"""Tells Triton what arguments are multiples of, so that accesses to rows of a tile are wide.

Triton asks of an integer argument whether it is a multiple of 16, and of nothing else: where rows have 1000 or 24
elements, whose starts are multiples of 8, it reads one element at a time, half the bytes of a cycle and less. The
launch finds the greatest power of two that divides such an argument, which is a compile-time number of the stage, and
`C // ALIGN_C * ALIGN_C` is then the argument itself, and a product with a constant for Triton.

An argument that needs no multiples has none: each power of two is a kernel of its own to compile.

Loops that have loads of several iterations in flight copy them to shared memory. Where each element of f32 is a copy of
its own, this takes eight times as long as loading one iteration after the other (567 and 72 µs for the statistics of
65536 rows of 1001 on an H200), so where nothing divides an argument there is one iteration in flight. It has more
registers then: with four warps, a tile of 64 by 64 takes 393 µs for 524288 rows of 75, with eight 55.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.alignment import MOST_ELEMENTS, aligning_products
from transpiler.analysis.facts import Facts
from transpiler.ir import nodes as ir
from transpiler.ir.extent import Alignment, Named, Number
from transpiler.ir.launch_plan import Tile
from transpiler.ir.types import I32
from transpiler.ir.visit import Rewriter
from transpiler.ops.model import Op, RangeOf
from transpiler.optimise.build import Build
from transpiler.optimise.flags import ALIGN
from transpiler.optimise.nests.extents import greatest, least, rounded_down, times
from transpiler.optimise.paragraphs import below
from transpiler.optimise.symbols import Symbols
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transpiler.analysis.alignment import Products
    from transpiler.ir.extent import Extent
    from transpiler.ir.launch_plan import Stage
    from transpiler.optimise.classic.context import ClassicContext

_WHOLE_UNITS = Op(
    name="whole_units",
    family="internal",
    signature="(x: i32, unit: const i32) -> i32",
    triton="x // unit * unit",
    summary="An integer that is a multiple of a unit, so that Triton knows it is.",
    range=RangeOf(parameters=("x",)),
    any_width=True,
)

_WHY = "align: a launch finds what these are multiples of, so that accesses are wide."

_NOTHING_TO_ALIGN = "no access of lanes side by side starts at multiples of an argument"


def aligned(stage: Stage, context: ClassicContext) -> Stage:
    """The stage with what its arguments are multiples of."""
    report = context.report(ALIGN)
    if not report.is_on:
        return stage
    kernel = stage.kernel
    needed = list(_needed(kernel, context))
    factors = {factor for need in needed for product in need.products for factor in product}
    found = [it for it in kernel.parameters if it in factors]
    if not found:
        report.finish(_NOTHING_TO_ALIGN, kernel)
        return stage
    build = Build(kernel.name_span)
    symbols = Symbols(kernel)
    values = {it: replace(symbols.like(it), kind=ir.SymbolKind.LOCAL) for it in found}
    units = {it: _unit(it, kernel, symbols) for it in found}
    lets = [
        ir.Let(
            span=kernel.name_span,
            symbol=values[it],
            value=build.call(_WHOLE_UNITS, (), I32, build.read(it), build.read(units[it])),
        )
        for it in found
    ]
    lets[0] = replace(lets[0], layout=ir.Layout(comments=(_WHY,)))
    for it in found:
        message = f"each launch finds out what `{it.name}` is a multiple of"
        report.applied(message, kernel.name_span)
    aligning = _Aligning(values, units, needed)
    body = aligning.block(kernel.body)
    statements = (*lets, *below(ir.Layout(blank_before=True), list(body.statements)))
    kernel = replace(
        kernel,
        const_generics=(*kernel.const_generics, *units.values()),
        body=replace(body, statements=statements),
    )
    tiles = (
        Tile(name=unit.name, default=Alignment(Named(it.name), Number(MOST_ELEMENTS)))
        for it, unit in units.items()
    )
    return replace(
        stage,
        kernel=kernel,
        tiles=(*stage.tiles, *tiles),
        warps=_warps(stage.warps, aligning.waited_for),
    )


def _warps(usual: Extent, units: Iterable[tuple[ir.Symbol, ...]]) -> Extent:
    """Twice as many where units are 1: a tile whose lanes are loaded one by one needs more registers."""
    products = [times(*(Named(it.name) for it in each)) for each in dict.fromkeys(units)]
    if not products:
        return usual
    smallest = products[0] if len(products) == 1 else least(*products)
    twice = Number(2 * usual.value) if isinstance(usual, Number) else times(Number(2), usual)
    return greatest(usual, rounded_down(twice, smallest))


def _unit(symbol: ir.Symbol, kernel: ir.Kernel, symbols: Symbols) -> ir.Symbol:
    """What a parameter is a multiple of."""
    return symbols.extent(f"ALIGN_{symbol.name.upper()}", kernel.name_span)


class _Need(NamedTuple):
    """The products of which a load or a store needs multiples; a load waits for the `loops` around it."""

    products: Products
    loops: tuple[ir.Statement, ...] = ()


def _needed(kernel: ir.Kernel, context: ClassicContext) -> Iterator[_Need]:
    facts = Facts(kernel, context.functions)
    for site in facts.flow.loads:
        yield _Need(aligning_products(facts, site) or frozenset(), site.loops)
    for site in facts.flow.stores:
        yield _Need(aligning_products(facts, site) or frozenset())
    facts.flow.close()


class _Aligning(Rewriter):
    """Reads other symbols in the place of some, and has loops look at the units of what their loads need."""

    def __init__(
        self,
        values: Mapping[ir.Symbol, ir.Symbol],
        units: Mapping[ir.Symbol, ir.Symbol],
        needed: list[_Need],
    ) -> None:
        self._values = values
        self._units = units
        self._needed = needed
        self.waited_for: list[tuple[ir.Symbol, ...]] = []
        """The units that loops look at."""

    def expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Read) and node.symbol in self._values:
            return replace(node, symbol=self._values[node.symbol])
        return super().expression(node)

    def statement(self, node: ir.Statement) -> ir.Statement:
        made = super().statement(node)
        if not isinstance(made, ir.For) or not made.stages:
            return made
        products = {
            product
            for need in self._needed
            if any(node is loop for loop in need.loops)
            for product in need.products
        }
        units = sorted(
            (tuple(unit for it, unit in self._units.items() if it in each) for each in products),
            key=lambda each: [it.id for it in each],
        )
        self.waited_for += units
        return replace(made, units=tuple(units))
