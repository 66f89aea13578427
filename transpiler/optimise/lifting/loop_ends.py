"""Where the tiles of loops reach beyond their ends: what says so in masks, and that nothing happens there.

The axis of a nest ends where the loop ends. That holds if stores are masked there, and what accumulates adds the
identity there, or what its variable starts from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.effects import effects_of
from transpiler.analysis.padding import Paddings
from transpiler.analysis.sameness import form
from transpiler.analysis.values import named_value, operands
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.nests.indices import Inlined
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.analysis.facts import Facts
    from transpiler.optimise.lifting.recurrences import Accumulated
    from transpiler.optimise.nests.indices import Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles:
    """The lanes of a loop: `lane` and the loop's variable make `index` where they are added, which ends at `stop`."""

    loop: ir.For
    lane: ir.Symbol
    index: ir.Symbol
    extent: ir.Symbol
    stop: ir.Expression


class LoopEnds:
    """The ends of the loops over tiles that are being lifted, `open`, outer ones first.

    `lifted` gives an expression of the kernel for one index of each axis.
    """

    def __init__(
        self, facts: Facts, indices: Indices, lifted: Callable[[ir.Expression], ir.Expression]
    ) -> None:
        self.open: list[Tiles] = []
        self._facts = facts
        self._indices = indices
        self._lifted = lifted

    def beside(self, mask: ir.Expression) -> list[ir.Expression]:
        """What a mask says but that loops end: every index of a nest is before these ends."""
        conditions = (self._lifted(term.source) for term in self._facts.masks.terms(mask))
        return [
            condition
            for condition in conditions
            if not any(self._is_said(condition, tiles) for tiles in self.open)
        ]

    def _is_said(self, condition: ir.Expression, tiles: Tiles) -> bool:
        """Whether a condition, lifted, is that a loop has not ended."""
        match condition:
            case ir.Binary(operator=ir.BinaryOperator.LESS, left=left, right=right):
                pass
            case ir.OpCall(op=op) if op.operator is ir.BinaryOperator.LESS:
                left, right = operands(condition)
            case ir.OpCall(op=op) if op.operator is ir.BinaryOperator.GREATER:
                right, left = operands(condition)
            case _:
                return False
        indices = self._indices
        within = indices.polynomial(left) - indices.polynomial(right)
        return within == indices.of(tiles.index) - indices.polynomial(tiles.stop)

    # --- What happens beyond ----------------------------------------------------------------------

    def require_mask(self, store: ir.OpCall) -> None:
        """Refuse a store that happens in lanes beyond the end of a loop."""
        mask = named_value(store, "mask")
        terms = () if mask is None else self._facts.masks.terms(mask)
        for tiles in self.open:
            if not any(self._is_said(self._lifted(term.source), tiles) for term in terms):
                refuse("a store is not masked where its loop ends", store.span)

    def require_nothing(self, what: Accumulated) -> None:
        """Refuse what changes a variable in lanes beyond the end of a loop."""
        for tiles in self.open:
            self._require_nothing(what, tiles)

    def _require_nothing(self, what: Accumulated, tiles: Tiles) -> None:
        facts, combine, name = self._facts, what.combine, what.node.symbol.name
        loads = (site.call for site in facts.flow.loads if tiles.loop in site.loops)
        for load in loads:
            mask = named_value(load, "mask")
            for each in () if mask is None else facts.masks.terms(mask):
                if not self._is_said(self._lifted(each.source), tiles):
                    continue
                padding = Paddings(facts.values, facts.masks, each.condition, -1)
                held = padding.padding(what.term).constant
                if held == combine.identity or _starts_with(what, held):
                    return
                if held is None and self._fills_with_start(what):
                    return
                refuse(
                    f"where the mask is off, what `{name}` combines is not "
                    f"{combine.identity:g}" + ", nor what it starts from" * combine.is_extremum,
                    what.node.span,
                )
        refuse(f"nothing masks what `{name}` combines where its loop ends", what.node.span)

    def _fills_with_start(self, what: Accumulated) -> bool:
        """Whether a term is a load that fills with what a variable starts from, which only a launch knows."""
        load = self._facts.values.value(what.term)
        fill = named_value(load, "other") if isinstance(load, ir.OpCall) else None
        if fill is None or not what.combine.is_extremum or load.type != what.term.type:
            return False
        named = Inlined(self._indices)
        lifted = named.expression(self._lifted(fill))
        is_read = Effect.READS in effects_of(walk_expression(lifted))
        return form(lifted) == form(named.expression(what.started)) and not is_read


def _starts_with(what: Accumulated, held: float | None) -> bool:
    """Whether combining `held` into what a variable starts from leaves that as it is."""
    started = what.started
    if held is None or not what.combine.is_extremum or not isinstance(started, ir.Literal):
        return False
    return what.combine.of(started.value, held) == started.value
