"""Whether programs, lanes and iterations all touch elements of their own: no two have one offset.

Offsets are like numbers in a mixed radix, whose digits are these; conditions say what some of them together stay below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.mixed_radix import Digit, mixed_radix
from transpiler.analysis.polynomial import Polynomial
from transpiler.analysis.quantities import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.quantities import Quantities


def is_injective(
    quantities: Quantities,
    offsets: Polynomial,
    conditions: tuple[Polynomial, ...],
    variables: frozenset[int],
) -> bool:
    """Whether no two choices of the variables give one offset, each of `conditions` being below 0."""
    digits: list[Digit] = []
    rest = offsets
    for index in sorted(variables):
        weight = offsets.coefficient(index)
        if quantities.variables(weight) & variables:
            return False
        rest -= weight.times(Polynomial((((index,), 1),)))
        quantity = quantities.all[index]
        digits.append(
            Digit(index, weight, quantity.extent if isinstance(quantity, Variable) else None)
        )
    if quantities.variables(rest) & variables:
        return False

    # A number with a digit that counts down is below a bound, however low it is.
    counts_up = all((digit.weight.constant or 0) >= 0 for digit in digits)

    def bounds(number: Polynomial) -> Iterator[Polynomial]:
        for condition in conditions if counts_up else ():
            bound = number - condition
            if not quantities.variables(bound) & variables:
                yield bound

    # An argument may be 0, or less.
    return mixed_radix(digits, may_be_positive=lambda _: False, bounds=bounds) is not None
