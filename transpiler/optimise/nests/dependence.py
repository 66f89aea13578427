"""Which iterations of loops touch the same memory.

Two accesses through different parameters never do: launchers refuse tensors that share memory with one that is
written. Iterations of different programs may run in any order as it is. So what is asked is whether, in one program, an
iteration writes what another one reads or writes. An address that is a polynomial in the axes gives each combination of
indices an element of its own if the axes are digits of a mixed radix (`transpiler.analysis.mixed_radix`).
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from transpiler.analysis.mixed_radix import Digit, mixed_radix
from transpiler.analysis.polynomial import constant
from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import Pointer, PointerTensor
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.nests.extents import length_of
from transpiler.optimise.nests.nest import Loop, item_expressions
from transpiler.optimise.refusals import refuse
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from transpiler.analysis.polynomial import Polynomial
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis, Item


_GAP = -1
"""Stands for a variable that is 0 for one access, 1 for another one that lies apart from it."""


class Reach(NamedTuple):
    """An access: `offsets` from the parameter `root`, once for each index of the `axes` of the loops around it."""

    root: ir.Symbol
    offsets: Polynomial
    axes: tuple[Axis, ...]
    call: ir.OpCall

    @property
    def is_store(self) -> bool:
        """Whether it writes."""
        return self.call.op.effect is Effect.WRITES


def reaches(
    items: Iterable[Item], indices: Indices, axes: tuple[Axis, ...] = ()
) -> Iterator[Reach]:
    """All accesses in some items.

    Raises:
        RefusedError: one goes to an address that is not offsets from a parameter.
    """
    for item in items:
        for expression in item_expressions(item):
            for node in walk_expression(expression):
                if isinstance(node, ir.OpCall) and node.op.effect in {Effect.READS, Effect.WRITES}:
                    yield _reach(node, indices, axes)
        if isinstance(item, Loop):
            yield from reaches(item.items, indices, (*axes, item.axis))


def _reach(call: ir.OpCall, indices: Indices, axes: tuple[Axis, ...]) -> Reach:
    pointer = indices.resolved(
        next(it for it in operands(call) if isinstance(it.type, Pointer | PointerTensor))
    )
    offsets = constant(0)
    while isinstance(pointer, ir.OffsetPointer):
        offsets += indices.polynomial(pointer.offsets)
        pointer = indices.resolved(pointer.pointer)
    if not isinstance(pointer, ir.Read) or pointer.symbol.kind is not ir.SymbolKind.PARAMETER:
        refuse("the address is not known", call.span)
    return Reach(pointer.symbol, offsets, axes, call)


def reorderable(loop: Loop, indices: Indices) -> frozenset[ir.Symbol]:
    """The parameters that have to be positive for the iterations of a loop, inner ones included, to be independent.

    Raises:
        RefusedError: they are not.
    """
    found = list(reaches((loop,), indices))
    needed: frozenset[ir.Symbol] = frozenset()
    for store in (it for it in found if it.is_store):
        positive = injective(store, indices)
        if positive is None:
            refuse("two iterations may write the same element", store.call.span)
        needed |= positive
        for other in found:
            if other.root == store.root and other.offsets != store.offsets:
                apart = injective(store, indices, other.offsets - store.offsets)
                if apart is not None:
                    needed |= apart
                    continue
                verb = "write" if other.is_store else "read"
                refuse(
                    f"an iteration may {verb} what another one writes to `{store.root.name}`",
                    other.call.span,
                )
    return needed


def injective(
    reach: Reach, indices: Indices, gap: Polynomial | None = None
) -> frozenset[ir.Symbol] | None:
    """What has to be positive for an access to touch another element for each index; None where it may not.

    With a `gap`, what lies that far from it for any index is another element too.
    """
    digits: list[Digit] = []
    for axis in reach.axes:
        stride = indices.coefficient(reach.offsets, axis.symbol)
        if stride is None:
            return None
        digits.append(Digit(indices.atom(axis.symbol), stride, length_of(axis, indices)))
    if gap is not None:
        digits.append(Digit(_GAP, gap, constant(2)))
    positive = mixed_radix(digits, may_be_positive=lambda it: indices.argument(it) is not None)
    if positive is None:
        return None
    return frozenset(symbol for it in positive if (symbol := indices.argument(it)) is not None)


def passes_memory_on(items: Sequence[Item], indices: Indices) -> bool:
    """Whether a loop at the top touches what another of the items stores, or stores what another one touches."""
    touched = [frozenset(it.root for it in reaches((item,), indices)) for item in items]
    stored = [
        frozenset(it.root for it in reaches((item,), indices) if it.is_store) for item in items
    ]
    return any(
        not stored[first].isdisjoint(touched[second])
        for first, second in permutations(range(len(items)), 2)
        if isinstance(items[first], Loop) or isinstance(items[second], Loop)
    )
