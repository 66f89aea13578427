"""Hints for Triton: `tl.multiple_of` and `tl.max_contiguous` where it cannot see that lanes count up by 1.

Triton reads and writes several elements at once where it knows that the lanes of an address count up by 1, from a
multiple of that many. It follows sums, products and, for divisors it knows to be multiples, `/` and `%`; but an index
that is taken apart by an extent of the launch and put together again, `i / w * w + i % w`, it takes for scattered.
Polynomials cancel what belongs together, so here it is the index again.

A hint is printed where an offset is computed through a division of lanes, and what is left counts up by 1 from a
multiple of the number of lanes. For sm_90 and a tile of 512 lanes, a load of f32 becomes one of four elements
(`ld.global.v4`), and 48 instructions of the kernel become 17 with Triton 3.9, since the compiler also sees that it
needs no more than the first lane of each group. One hint of the two alone changes no load. Without a division, Triton
finds out itself, and nothing is printed.

Nothing that is divided may be negative, by the signs of what it is made of: quotients that truncate do not cancel
otherwise. Offsets do not wrap: a launch that would need more than 32 bits for them runs the kernel as written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.addresses import pointers_of
from transpiler.analysis.contiguous import Run, Runs
from transpiler.analysis.extents import tile_extents
from transpiler.analysis.facts import Facts
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Tensor
from transpiler.ir.visit import Rewriter, walk_expression
from transpiler.ops.table import OPS
from transpiler.optimise.build import Build
from transpiler.optimise.flags import HINTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.optimise.classic.context import ClassicContext, Report

_NOTHING_THERE = (
    "Triton's own analysis sees what lanes of addresses count, since none goes through a division"
)
_WORDS = frozenset({DType.I32, DType.I64})


def hints(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel with what is known of the runs of its offsets."""
    report = context.report(HINTS)
    if not report.is_on:
        return kernel
    facts = Facts(kernel, context.functions)
    found = dict(_found(kernel, facts, report))
    facts.flow.close()
    report.finish(_NOTHING_THERE, kernel)
    return _Hinting(found).kernel(kernel) if found else kernel


def _found(
    kernel: ir.Kernel, facts: Facts, report: Report
) -> Iterator[tuple[int, tuple[ir.Expression, Run]]]:
    """The offsets that are worth a hint, by identity."""
    runs = Runs(kernel, facts.values, tile_extents(kernel))
    flow = facts.flow
    for site in (*flow.loads, *flow.stores, *flow.atomics):
        pointers = pointers_of(site)
        if pointers is None:
            continue
        for offsets in _offsets_of(facts, pointers):
            run = runs.of(offsets, site.loops)
            if not isinstance(run, Run):
                if run.is_divided:
                    report.missed(run.why, offsets.span)
                continue
            count = run.lanes if isinstance(run.lanes, int) else f"`{run.lanes.name}`"
            report.applied(f"the offsets count up by 1 from a multiple of {count}", offsets.span)
            yield id(offsets), (offsets, run)


def _offsets_of(facts: Facts, pointers: ir.Expression) -> Iterator[ir.Expression]:
    """The tiles of integers that are added to a pointer, as far as names lead to them."""
    node = facts.values.value(pointers)
    while isinstance(node, ir.OffsetPointer):
        offsets = node.offsets
        if (
            isinstance(offsets.type, Tensor)
            and offsets.type.dtype in _WORDS
            and offsets.type.shape
            and not any(_is_hint(inner) for inner in walk_expression(offsets))
        ):
            yield offsets
        node = facts.values.value(node.pointer)


def _is_hint(node: ir.Expression) -> bool:
    return isinstance(node, ir.OpCall) and node.op.family == "hints"


class _Hinting(Rewriter):
    """Puts hints around offsets."""

    def __init__(self, found: dict[int, tuple[ir.Expression, Run]]) -> None:
        self._found = found

    def expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.OffsetPointer) and id(node.offsets) in self._found:
            offsets, run = self._found[id(node.offsets)]
            return replace(
                node, pointer=self.expression(node.pointer), offsets=_hinted(offsets, run)
            )
        return super().expression(node)


def _hinted(offsets: ir.Expression, run: Run) -> ir.Expression:
    """Offsets with both hints: lanes count up along the last dimension alone."""
    build, type_ = Build(offsets.span), offsets.type
    if not isinstance(type_, Tensor) or not type_.shape:
        return offsets
    count = build.number(run.lanes) if isinstance(run.lanes, int) else build.read(run.lanes)
    others = [build.number(1)] * (len(type_.shape) - 1)
    values = ir.ListArgument(span=build.span, elements=(*others, count))
    for name in ("multiple_of", "max_contiguous"):
        offsets = build.call(OPS[name], (type_.dtype,), type_, offsets, values)
    return offsets
