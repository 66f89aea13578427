"""Which lanes of tiles are in scope where a statement stands, and what the masks of those that exist are called."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.optimise.build import Build, conjunction
from transpiler.optimise.nests.expressions import Substitution
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from transpiler.optimise.launches.layout import Lanes
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span


class Lane(NamedTuple):
    """The lanes of one axis; `mask` is the name of the mask of those that exist."""

    lanes: Lanes
    mask: ir.Symbol
    is_reduced: bool


class Scope:
    """The lanes there are, outer ones first. A mask of two of them has a name as well."""

    def __init__(self, symbols: Symbols) -> None:
        self.lanes: list[Lane] = []
        self._symbols = symbols
        self._named: dict[frozenset[ir.Symbol], ir.Symbol] = {}
        self._beside: dict[ir.Symbol, list[ir.Symbol]] = {}
        """The masks of two axes that stand beside the mask of one."""

    @property
    def reduced(self) -> list[Lane]:
        """The lanes of axes that are reduced."""
        return [lane for lane in self.lanes if lane.is_reduced]

    def named(self, name: str, condition: ir.Expression) -> ir.Let:
        """A mask with a name."""
        symbol = self._symbols.new(name, condition.type, condition.span)
        self._named[frozenset({symbol})] = symbol
        return ir.Let(span=condition.span, symbol=symbol, value=condition)

    def both(
        self, lane: Lane, others: Iterable[Lane], span: Span, *, are_beside: bool
    ) -> Iterator[ir.Let]:
        """The masks of a lane together with each other one; `are_beside` if these stand in one block with it."""
        build = Build(span)
        for other in others:
            let = self.named("mask", build.both(build.read(other.mask), build.read(lane.mask)))
            self._named[frozenset({lane.mask, other.mask})] = let.symbol
            for each in (lane, other) if are_beside else (lane,):
                self._beside.setdefault(each.mask, []).append(let.symbol)
            yield let

    def mask(self, lanes: Sequence[Lane], build: Build) -> ir.Expression | None:
        """The mask of lanes that exist along several axes; None for no axis."""
        known = self._named.get(frozenset(lane.mask for lane in lanes))
        if known is not None:
            return build.read(known)
        return conjunction([build.read(lane.mask) for lane in lanes], build)

    def settled(self, block: ir.Block) -> ir.Block:
        """The statements without masks that nobody reads; what one mask beside it alone reads has no name."""
        names = set(self._named.values())
        while True:
            reads = Counter(
                it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)
            )
            masks = {
                it.symbol: it.value
                for it in block.contents.statements
                if isinstance(it, ir.Let) and it.symbol in names
            }
            dead = {symbol: value for symbol, value in masks.items() if not reads[symbol]}
            if not dead:
                break
            block = _Without(dead).block(block)
        inner = {
            symbol: value
            for symbol, value in masks.items()
            if reads[symbol] == 1 and any(reads[it] for it in self._beside.get(symbol, ()))
        }
        return _Without(inner).block(block)


class _Without(Substitution):
    """Takes names out; their values stand where they were read."""

    def __init__(self, values: Mapping[ir.Symbol, ir.Expression]) -> None:
        super().__init__(values)
        self._gone = values.keys()

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        return super().statements(
            tuple(
                it for it in statements if not isinstance(it, ir.Let) or it.symbol not in self._gone
            )
        )
