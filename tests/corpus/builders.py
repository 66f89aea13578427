"""Cases of kernels that work element by element, and sums of windows: what many topics share."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import torch

from tests.corpus.model import Case, Launch, Numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.corpus.model import Sampler, Tensors
    from transpiler.ir.types import DType

FLAT = (
    {"n": 37, "block": 16},
    {"n": 1, "block": 16},
    {"n": 64, "block": 16},
    {"n": 5, "block": 64},
)
"""Extents and tile sizes: ragged, one element, whole tiles, a tile that is larger than the tensor."""


NONE: Final[Numbers] = MappingProxyType({})
"""No run-time arguments."""


def ceil_div(a: int, b: int) -> int:
    """`a / b`, rounded up."""
    return -(-a // b)


def normal(sample: Sampler, n: int) -> torch.Tensor:
    """Any numbers."""
    return sample.normal(n)


def positive(sample: Sampler, n: int) -> torch.Tensor:
    """Between a half and three."""
    return sample.uniform(0.5, 3.0, n)


def unit(sample: Sampler, n: int) -> torch.Tensor:
    """Inside the unit interval."""
    return sample.uniform(0.05, 0.95, n)


def signs(sample: Sampler, n: int) -> torch.Tensor:
    """Minus one and one."""
    return 2.0 * sample.whole(0, 2, n) - 1.0


def bits(sample: Sampler, n: int) -> torch.Tensor:
    """Zero and one."""
    return sample.whole(0, 2, n)


def zeros(sample: Sampler, n: int) -> torch.Tensor:
    """Nothing yet: an output."""
    return 0 * sample.whole(0, 2, n)


def elementwise(
    topic: str,
    kernel: str,
    formula: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]],
    inputs: Mapping[str, Callable[[Sampler, int], torch.Tensor]],
    outputs: tuple[str, ...] = ("y_ptr",),
    *,
    dtypes: tuple[DType | None, ...] = (None,),
    tolerance: str = "sum",
    count: str = "n_elements",
    numbers: Numbers = NONE,
) -> Case:
    """A case of a flat kernel with the constant `BLOCK_SIZE`.

    `formula` gets the inputs in their order, and gives the outputs in theirs; an output may be an
    input too, and is updated in place then. `numbers` are the run-time arguments beside the count.
    """

    def prepare(sample: Sampler, n: int, block: int) -> Launch:
        tensors = {name: domain(sample, n) for name, domain in inputs.items()}
        tensors |= {name: zeros(sample, n) for name in outputs if name not in inputs}

        def expected(given: Tensors) -> Tensors:
            made = formula(*(given[name] for name in inputs))
            results = made if isinstance(made, tuple) else (made,)
            return dict(zip(outputs, results, strict=True))

        return Launch(
            tensors=tensors,
            numbers={count: n, **numbers},
            expected=expected,
            constants={"BLOCK_SIZE": block},
            grid=(ceil_div(n, block),),
        )

    return Case(
        topic=topic,
        kernel=kernel,
        prepare=prepare,
        shapes=FLAT,
        dtypes=dtypes,
        tolerance=tolerance,
    )


def gradient(
    function: Callable[..., torch.Tensor], *wanted: int
) -> Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]:
    """The formula of a backward kernel from that of its forward kernel, through autograd.

    It gets the gradient of the output, then the arguments of `function`; `wanted` are the places of
    the arguments whose gradients it gives, the first alone by default.
    """

    def formula(dy: torch.Tensor, *given: torch.Tensor) -> torch.Tensor | tuple[torch.Tensor, ...]:
        places = wanted or (0,)
        leaves = [
            each.clone().requires_grad_() if place in places else each
            for place, each in enumerate(given)
        ]
        results = torch.autograd.grad(function(*leaves), [leaves[place] for place in places], dy)
        return results[0] if len(results) == 1 else results

    return formula
