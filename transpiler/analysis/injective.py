"""Whether programs, lanes and iterations all touch elements of their own: no two have one offset.

Offsets are like numbers in a positional system: `row * n + k * BLOCK + lane` with `lane` below `BLOCK`, and both
together below `n`, has one meaning. A digit's weight is the product of the extents below it, or what a condition says
the part below it stays under.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.quantities import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.quantities import Quantities

_ZERO = constant(0)


def is_injective(
    quantities: Quantities,
    offsets: Polynomial,
    conditions: tuple[Polynomial, ...],
    variables: frozenset[int],
) -> bool:
    """Whether no two choices of the variables give one offset, each of `conditions` being below 0."""
    weights = {index: offsets.coefficient(index) for index in variables}
    rest = offsets
    for index, weight in weights.items():
        if quantities.variables(weight) & variables:
            return False
        rest -= weight.times(_single(index))
    if quantities.variables(rest) & variables:
        return False
    return _Digits(quantities, weights, conditions).are_distinct()


class _Digits:
    def __init__(
        self,
        quantities: Quantities,
        weights: dict[int, Polynomial],
        conditions: tuple[Polynomial, ...],
    ) -> None:
        self._quantities = quantities
        self._weights = weights
        self._conditions = conditions
        self._variables = frozenset(weights)

    def are_distinct(self) -> bool:
        return not self._variables or any(
            self._follow(self._variables, weight, _ZERO)
            for weight in set(self._weights.values())
            if weight.constant is not None and weight.constant > 0
        )

    def _follow(self, left: frozenset[int], wanted: Polynomial, below: Polynomial) -> bool:
        """Whether the digits left, of which there are some, follow one another from one of the `wanted` weight on.

        The others make up `below`.
        """
        return any(
            left == {index}
            or any(
                self._follow(left - {index}, following, below + wanted.times(_single(index)))
                for following in self._following(index, wanted, below)
            )
            for index in left
            if self._weights[index] == wanted
        )

    def _following(self, index: int, weight: Polynomial, below: Polynomial) -> Iterator[Polynomial]:
        """The weights that the digit after this one may have."""
        digit = self._quantities.all[index]
        if isinstance(digit, Variable) and digit.extent is not None:
            yield weight.times(digit.extent)
        number = below + weight.times(_single(index))
        for condition in self._conditions:
            bound = number - condition
            if not self._quantities.variables(bound) & self._variables:
                yield bound


def _single(index: int) -> Polynomial:
    return Polynomial((((index,), 1),))
