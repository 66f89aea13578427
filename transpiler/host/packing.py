"""Checks the arguments that a method packs against the parameters of a kernel, which Rust itself does not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.host.pushes import Branch, Delegated, Many, Visit
from transpiler.host.values import NONE
from transpiler.ir.types import DType, Pointer, Scalar
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transpiler.host.pushes import Push
    from transpiler.host.values import Origin
    from transpiler.ir import nodes as ir

    Resolve = Callable[[Delegated], tuple[Push, ...]]
    """What another method pushes."""


class Mismatch(NamedTuple):
    """Where the arguments stop fitting: what is pushed, None at their end, and the parameter, None behind the last."""

    visit: Visit | None
    parameter: ir.Symbol | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What is packed for each parameter of a kernel: the arguments that may be; or where they do not fit."""

    visits: tuple[tuple[Visit, ...], ...]
    mismatch: Mismatch | None = None

    def origins(self, place: int) -> frozenset[Origin]:
        """What the pointer at a place among the parameters may point to."""
        return frozenset().union(*(it.value.origins for it in self.visits[place]))

    def is_unknown(self, place: int) -> bool:
        """Whether some pointer at a place is neither known nor null."""
        return any(
            not it.value.origins and it.value.expression != NONE for it in self.visits[place]
        )


def packed(pushes: tuple[Push, ...], kernel: ir.Kernel, resolve: Resolve) -> Packed:
    """Run the arguments along the parameters.

    Where branches or loops leave open how many there are, all that may be is followed.
    """
    return _Run(kernel, resolve).packed(pushes)


class _Run:
    def __init__(self, kernel: ir.Kernel, resolve: Resolve) -> None:
        self._parameters = kernel.parameters
        self._resolve = resolve
        self._visits: list[dict[int, Visit]] = [{} for _ in kernel.parameters]
        self._mismatch: Mismatch | None = None

    def packed(self, pushes: tuple[Push, ...]) -> Packed:
        count = len(self._parameters)
        ends = self._all(pushes, {0})
        if count in ends:
            return Packed(visits=tuple(tuple(each.values()) for each in self._visits))
        if ends:
            self._mismatch = Mismatch(None, self._parameters[max(ends)])
        return Packed(visits=(), mismatch=self._mismatch)

    def _all(self, pushes: Iterable[Push], places: set[int]) -> set[int]:
        """The places among the parameters where the arguments may end that begin at `places`."""
        for push in pushes:
            if places:
                places = self._one(push, places)
        return places

    def _one(self, push: Push, places: set[int]) -> set[int]:
        match push:
            case Visit():
                return self._visit(push, places)
            case Branch(choices=choices):
                ends = [self._all(each, places) for each in choices]
                # Whichever branch is taken has to fit.
                return set().union(*ends) if all(ends) else set()
            case Delegated():
                return self._all(self._resolve(push), places)
            case Many(pushes=()):
                return set(range(min(places), len(self._parameters) + 1))
            case Many(pushes=pushes):
                reached = set(places)
                while not (found := self._all(pushes, reached)) <= reached:
                    reached |= found
                return reached

    def _visit(self, visit: Visit, places: set[int]) -> set[int]:
        fitting = {it for it in places if it < len(self._parameters) and self._fits(visit, it)}
        for place in fitting:
            self._visits[place][id(visit)] = visit
        if not fitting:
            place = max(places)
            parameter = self._parameters[place] if place < len(self._parameters) else None
            self._mismatch = Mismatch(visit, parameter)
        return {place + 1 for place in fitting}

    def _fits(self, visit: Visit, place: int) -> bool:
        match self._parameters[place].type:
            case Pointer():
                return visit.kind == "ptr"
            case Scalar(dtype=DType() as dtype):
                return visit.kind == dtype.value
            case Scalar():
                return visit.kind != "ptr"
            case _:
                return False
