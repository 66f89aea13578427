"""Tensors and arguments to try an operator with, of which nothing is known but how many there are.

An operator says by an exception that shapes do not belong together, or not at all. So what is offered here is tried on
the smallest block size, and what comes out clean is what other block sizes are compared on.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from transpiler.harness.operators import Operator, Value

    Shape = tuple[int, ...]

_SHAPES: Sequence[Shape] = (
    (3, 150),
    (2, 3, 5, 7),
    (37,),
    (2, 3, 37),
    (2, 3, 5, 7, 3),
    (5, 7),
    (1, 2, 11, 29),
    (300,),
    (3, 5, 41),
    (17, 17),
    (33, 33),
    (3, 5, 9, 9),
    (1, 1),
    (1, 1, 1, 1),
    (1,),
    (16, 32),
    (32, 32),
    (2, 8, 8, 8),
)
"""Of every rank odd ones first, some of more elements than the smallest block; then squares, which products take, ones,
and such as are whole numbers of 16 bytes."""

_WHOLE_NUMBERS = (1, 2, 3, 0)
"""For arguments that are neither block sizes nor floats: sizes of windows, strides, axes."""

_FLOATS = (0.25, 0.5, 0.75)
"""For floats, in their order: powers of two and their sums are exact in every dtype; bounds come lower one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Shapes of the inputs and of the output, and the arguments that are no block sizes.

    `is_positive` tells that all floats are drawn from positive numbers.
    """

    inputs: tuple[Shape, ...]
    output: Shape | None
    arguments: Mapping[str, Value]
    is_positive: bool

    @property
    def told(self) -> str:
        """The shapes, for users."""
        shapes = ",".join("x".join(map(str, shape)) or "1" for shape in self.inputs)
        output = "" if self.output is None else f"->{'x'.join(map(str, self.output))}"
        return shapes + output


def candidates(operator: Operator, blocks: frozenset[str]) -> Iterator[Candidate]:
    """What to try, the most usual first: the same arguments on all shapes, then other arguments."""
    for arguments in _arguments(operator, blocks):
        for is_positive in (False, True):
            for shape in _SHAPES:
                for inputs in _inputs(shape, len(operator.inputs)):
                    for output in _outputs(shape) if operator.takes_output_shape else (None,):
                        yield Candidate(
                            inputs=inputs,
                            output=output,
                            arguments=arguments,
                            is_positive=is_positive,
                        )


def _arguments(operator: Operator, blocks: frozenset[str]) -> Iterator[Mapping[str, Value]]:
    """Values of the arguments that are no block sizes."""
    kinds = {name: kind for name, kind in operator.arguments.items() if name not in blocks}
    flags = [name for name, kind in kinds.items() if kind == "bool"]
    floats = [name for name, kind in kinds.items() if kind == "float"]
    numbers = [name for name, kind in kinds.items() if kind == "int"]
    given: dict[str, Value] = dict.fromkeys(kinds)
    given |= {name: _FLOATS[place % len(_FLOATS)] for place, name in enumerate(floats)}
    for number in _WHOLE_NUMBERS if numbers else (0,):
        for chosen in product((True, False), repeat=len(flags)):
            yield {
                **given,
                **dict.fromkeys(numbers, number),
                **dict(zip(flags, chosen, strict=True)),
            }


def _inputs(shape: Shape, count: int) -> Iterator[tuple[Shape, ...]]:
    """Shapes of so many inputs: all the same, or the others along the first axis or the last."""
    rest = [shape, shape[:1], shape[-1:]]
    for other in dict.fromkeys(rest) if count > 1 else [shape]:
        yield (shape, *[other] * (count - 1))


def _outputs(shape: Shape) -> Iterator[Shape]:
    """Shapes that an output may have beside an input of `shape`, the largest first.

    What is too large is left unwritten, which shows; beyond what is too small may be anything.
    """
    rows, last = shape[:-1] or (1,), shape[-1]
    several = [shape, (*rows, 7), (2 * last,), shape[:2], rows, (last,), (1,)]
    yield from sorted(dict.fromkeys(several), key=prod, reverse=True)
