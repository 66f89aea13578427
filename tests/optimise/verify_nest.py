"""The invariants of nests, checked in tests after each transform.

A name is defined once, before it is read, and known to what stands behind it in its loop. A variable accumulates in
its loop alone, where nothing reads it; behind the loop it is the result.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.launches.materialise import Materialised, materialise
from transpiler.optimise.nests.nest import Accumulate, Loop, Nest, Store
from transpiler.optimise.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.optimise.flags import Transform
    from transpiler.optimise.nests.nest import Axis, Item
    from transpiler.optimise.nests.work import Work


class InvalidNestError(Exception):
    """A nest that breaks an invariant: a fault of the compiler."""


def verify_nest(nest: Nest) -> None:
    """Check a nest.

    Raises:
        InvalidNestError: what is broken.
    """
    _Verifier(nest.programs).run(nest.items)


class _Verifier:
    def __init__(self, programs: Iterable[Axis], given: Iterable[ir.Symbol] = ()) -> None:
        self._known: set[ir.Symbol] = set(given)
        self._ever: set[ir.Symbol] = set()
        self._open: set[ir.Symbol] = set()
        for axis in programs:
            self._read(axis.start)
            self._read(axis.stop)
            self._define(axis.symbol)

    def run(self, items: Iterable[Item]) -> None:
        for item in items:
            match item:
                case ir.Let():
                    self._read(item.value)
                    self._define(item.symbol)
                case Store():
                    if item.call.op.effect is not Effect.WRITES:
                        raise InvalidNestError(f"`{item.call.op.name}` stores nothing")
                    self._read(item.call)
                case Accumulate():
                    if item.symbol not in self._open:
                        raise InvalidNestError(
                            f"`{item.symbol.name}` accumulates outside of its loop"
                        )
                    self._read(item.term)
                case Loop():
                    self._loop(item)

    def _loop(self, loop: Loop) -> None:
        axis = loop.axis
        for bound in (axis.start, axis.stop, *(it.initial for it in loop.reductions)):
            if bound is not None:
                self._read(bound)
        outer = set(self._known)
        self._define(axis.symbol)
        begun = {it.symbol for it in loop.reductions}
        if begun & (self._open | self._ever):
            raise InvalidNestError(f"the loop over `{axis.symbol.name}` reduces what is reduced")
        self._open |= begun
        self._ever |= begun
        self.run(loop.items)
        self._open -= begun
        self._known = outer | begun

    def _define(self, symbol: ir.Symbol) -> None:
        if symbol in self._ever:
            raise InvalidNestError(f"`{symbol.name}` is defined twice")
        self._ever.add(symbol)
        self._known.add(symbol)

    def _read(self, node: ir.Expression) -> None:
        for each in walk_expression(node):
            if not isinstance(each, ir.Read) or each.symbol.kind is not ir.SymbolKind.LOCAL:
                continue
            if each.symbol in self._open:
                raise InvalidNestError(f"`{each.symbol.name}` is read while it accumulates")
            if each.symbol not in self._known:
                raise InvalidNestError(f"`{each.symbol.name}` is read where it has no value")


def verify_work(work: Work) -> None:
    """Check what a launch computes; the numbers of its part and of all parts come from outside.

    Raises:
        InvalidNestError: what is broken.
    """
    _Verifier(work.programs, work.part or ()).run(work.items)


@contextmanager
def verified_nests() -> Iterator[list[tuple[str, Nest | None]]]:
    """Checks what the optimiser makes of kernels in here; it is listed by the steps, None for a launch."""
    seen: list[tuple[str, Nest | None]] = []

    def saw(_self: Trace, step: str, nest: Nest) -> None:
        verify_nest(nest)
        seen.append((step, nest))

    def saw_works(_self: Trace, transform: Transform, works: list[Work]) -> None:
        for work in works:
            verify_work(work)
            seen.append((transform.flag, None))

    def launch(kernel: ir.Kernel, name: str, work: Work, *rest: Any) -> Materialised:
        verify_work(work)
        seen.append((work.role.value, None))
        return materialise(kernel, name, work, *rest)

    with (
        patch.object(Trace, "nest", saw),
        patch.object(Trace, "works", saw_works),
        patch("transpiler.optimise.launches.variants.materialise", launch),
    ):
        yield seen
