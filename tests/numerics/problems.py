"""The arguments of a case: inputs drawn from its seed, outputs poisoned, everything fenced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from tests.numerics.cases import Case, Kernel, Planted
from tests.numerics.fences import Fenced
from tests.numerics.references import as_f32

if TYPE_CHECKING:
    from collections.abc import Mapping

PARAMETERS: Final[Mapping[Kernel, tuple[str, ...]]] = {
    Kernel.INFERENCE: ("x", "y", "weight", "bias", "running_mean", "running_var", "N", "C", "eps"),
    Kernel.STATS: ("x", "mean", "rstd", "running_mean", "running_var", "N", "C", "eps", "momentum"),
    Kernel.NORMALIZE: ("x", "y", "weight", "bias", "mean", "rstd", "N", "C"),
    Kernel.BACKWARD: ("dy", "x", "dx", "weight", "mean", "rstd", "dweight", "dbias", "N", "C"),
    Kernel.IMAGE_INFERENCE: (
        "x",
        "y",
        "weight",
        "bias",
        "running_mean",
        "running_var",
        "C",
        "HW",
        "eps",
    ),
    Kernel.IMAGE_BACKWARD: (
        *("dy", "x", "dx", "weight", "running_mean", "running_var", "dweight", "dbias"),
        *("B", "C", "HW", "eps"),
    ),
}
"""The runtime parameters in order; a pointer goes by the name of the tensor it points to."""

OUTPUTS: Final[Mapping[Kernel, tuple[str, ...]]] = {
    Kernel.INFERENCE: ("y",),
    Kernel.STATS: ("mean", "rstd", "running_mean", "running_var"),
    Kernel.NORMALIZE: ("y",),
    Kernel.BACKWARD: ("dx", "dweight", "dbias"),
    Kernel.IMAGE_INFERENCE: ("y",),
    Kernel.IMAGE_BACKWARD: ("dx", "dweight", "dbias"),
}
"""What a kernel writes."""

UPDATED: Final = ("running_mean", "running_var")
"""Read and written in place by the kernel that has them among its outputs."""

_SENTINEL: Final = -7.0
_IMAGES: Final = ("x", "y", "dx", "dy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A case with its tensors, each `[outer, channels, inner]` or `[channels]`, in their stored
    dtype.

    `inputs` are what the kernel reads, apart from what it is given; `tensors` are what it is given.
    """

    case: Case
    inputs: Mapping[str, torch.Tensor]
    tensors: Mapping[str, Fenced]
    scalars: Mapping[str, int | float]

    @property
    def arguments(self) -> tuple[Fenced | int | float, ...]:
        """The runtime arguments in the kernel's order."""
        both: dict[str, Fenced | int | float] = {**self.tensors, **self.scalars}
        return tuple(both[name] for name in PARAMETERS[self.case.kernel])

    @property
    def grid(self) -> tuple[int, ...]:
        """The programs: a channel each, or a plane each for the image forward."""
        case = self.case
        return (
            (case.channels, case.outer)
            if case.kernel is Kernel.IMAGE_INFERENCE
            else (case.channels,)
        )

    @property
    def block(self) -> Mapping[str, int]:
        """The const generics to pass: none where the function has them baked in."""
        return {} if "__" in self.case.function else {self.case.kernel.block_name: self.case.block}


def draw(case: Case) -> dict[str, torch.Tensor]:
    """Every input that any kernel reads, in the stored dtype, on the CPU; the same tensors for the
    same case."""
    random = torch.Generator().manual_seed(case.seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=random, dtype=torch.float64)

    spread = 0.5 + 1.5 * torch.rand(case.channels, generator=random, dtype=torch.float64)
    full = (case.outer, case.channels, case.inner)
    x = ((normal(*full) + case.offset) * spread[:, None]).to(case.dtype.stored).double()
    mean = x.mean((0, 2))
    var = ((x - mean[:, None]) ** 2).mean((0, 2))
    values = {
        "x": x,
        "dy": normal(*full),
        "weight": normal(case.channels),
        "bias": normal(case.channels),
        "mean": mean,
        "rstd": torch.rsqrt(var + as_f32(case.constants.eps)),
        "running_mean": spread * (case.offset + 0.3 * normal(case.channels)),
        "running_var": spread**2
        * (0.5 + torch.rand(case.channels, generator=random, dtype=torch.float64)),
    }
    values = {name: tensor.to(case.dtype.stored) for name, tensor in values.items()}
    _plant(case, values)
    return values


def _plant(case: Case, values: Mapping[str, torch.Tensor]) -> None:
    """Puts the case's special values into the last channel; with several channels the others stay
    finite."""
    match case.planted:
        case Planted.NOTHING:
            return
        case Planted.NAN:
            first = last = torch.nan
        case Planted.INFINITY:
            first, last = torch.inf, -torch.inf if case.seed % 2 else torch.inf
    values["x"][0, -1, 0] = first
    values["x"][-1, -1, -1] = last
    values["dy"][case.outer // 2, -1, case.inner // 2] = last
    victims = ("weight", "bias", "mean", "rstd", "running_mean", "running_var", None, None)
    if (victim := victims[case.seed // 2 % len(victims)]) is not None:
        values[victim][-1] = first


def problem(case: Case, *, device: torch.device) -> Problem:
    """The fenced arguments of a case.

    Outputs hold NaN before the launch, or a finite number where NaN may be the right result.
    """
    inputs = {name: tensor.to(device) for name, tensor in draw(case).items()}
    poison = torch.nan if case.planted is Planted.NOTHING else _SENTINEL
    misaligned = case.seed % 4 == 0
    outputs = OUTPUTS[case.kernel]
    tensors = {}
    for name in PARAMETERS[case.kernel]:
        if name in outputs and name not in UPDATED:
            like = inputs["x"] if name in _IMAGES else inputs["weight"]
            tensors[name] = Fenced.around(
                torch.full_like(like, poison), guard=_SENTINEL, misaligned=misaligned
            )
        elif name in inputs:
            tensors[name] = Fenced.around(inputs[name], guard=torch.nan, misaligned=misaligned)
    scalars = {
        "N": case.outer,
        "B": case.outer,
        "C": case.channels,
        "HW": case.inner,
        "eps": case.constants.eps,
        "momentum": case.constants.momentum,
    }
    return Problem(case=case, inputs=inputs, tensors=tensors, scalars=scalars)
