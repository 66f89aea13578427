"""Every tolerance of the numeric tests, each with its reason.

The bounds are first-order rounding analyses (Higham, Accuracy and Stability of Numerical
Algorithms, 2002, chapters 3 and 4), evaluated in float64 for each element of each output from the
very inputs of the case. `u` is the unit roundoff of the arithmetic. A bound is a product of three
things: `u`, how many roundings an element passes through (a count read off the algorithm, with the
length of its longest chain of additions), and the magnitude those roundings act on, which is where
ill conditioning shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from tests.numerics.algorithms import Algorithm
from tests.numerics.cases import Case, DType, Kernel
from tests.numerics.references import OVER_CHANNEL, Tensors, across, as_f32

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDOFF: Final[Mapping[torch.dtype, float]] = {
    torch.float64: 2.0**-53,
    torch.float32: 2.0**-24,
    torch.float16: 2.0**-11,
    torch.bfloat16: 2.0**-8,
}
"""Half the distance from 1 to the next number: one correctly rounded operation errs by at most
this, relatively."""

RSQRT: Final = 4
"""Roundings charged to `rsqrt(var + eps)`: half of one for the sum; the GPU's f32 approximation
errs by 2^-22.9 (2.2 roundoffs), its f64 routine by one unit in the last place (2)."""

DIVISION: Final = 4
"""Roundings charged to a quotient: Triton divides f32 by `div.full.f32` on NVIDIA's GPUs, which errs
by two units in the last place."""

LANES: Final = 16
"""Roundings charged to adding up a tile besides log2 of its width: numpy runs through 16 numbers a
lane, and a GPU thread through the registers of its own, before the tree begins."""

TORCH_MULTIPLE: Final = 4.0
"""Our largest error may be this many times torch's own on the same inputs in the same dtype: both
draw from one distribution of rounding errors, whose extremes differ by small factors only."""

TORCH_DEPTH: Final = 8
"""And it may be as large as the bound for a chain of so many additions, because torch adds in
float64 on the CPU and then rounds once: beside an error of nothing, no multiple would do."""

F32_CONSTANTS: Final = (DIVISION + 1) * ROUNDOFF[torch.float32]
"""Relative error of a constant computed in f32 before it is cast to the arithmetic's type: `1 / N`
is a quotient by a rounded count, `1 - momentum` is rounded once. In f64 arithmetic this is some 2^31
roundoffs and dominates."""

TWO_IN_F64: Final = 2.0
"""In f64 the reference rounds as the kernel does, and both may err, in opposite directions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rounding:
    """The counts of one case."""

    unit: float
    chain: int
    constants: float

    def sum(self, magnitude: torch.Tensor, terms: int = 0) -> torch.Tensor:
        """Error of a sum whose terms passed through `terms` roundings and add up to `magnitude` in
        absolute value."""
        return self.unit * (self.chain + terms) * magnitude


def bounds(
    case: Case,
    inputs: Mapping[str, torch.Tensor],
    expected: Tensors,
    algorithm: Algorithm,
    *,
    chopped: bool,
    chain: int | None = None,
) -> Tensors:
    """How far each element of each output may be from `expected`.

    Args: case: What was run. inputs: The stored inputs. expected: The outputs in float64.
    algorithm: What the kernels of the module compute. chopped: Whether bfloat16 results are
    chopped, which doubles the largest error of storing them. chain: The longest chain of additions
    to assume instead of the algorithm's own.
    """
    v = {name: tensor.double() for name, tensor in inputs.items()}
    rounding = _Rounding(
        unit=ROUNDOFF[case.dtype.arithmetic],
        chain=_chain(case, algorithm) if chain is None else chain,
        constants=F32_CONSTANTS if algorithm.is_by_moments else 0.0,
    )
    match case.kernel:
        case Kernel.INFERENCE | Kernel.IMAGE_INFERENCE:
            slope = v["weight"] * torch.rsqrt(v["running_var"] + as_f32(case.constants.eps))
            found = _affine(rounding, v, "running_mean", slope, roundings=RSQRT)
        case Kernel.NORMALIZE:
            found = _affine(rounding, v, "mean", v["weight"] * v["rstd"], roundings=0)
        case Kernel.STATS:
            found = _statistics(rounding, case, v, algorithm)
        case Kernel.BACKWARD:
            found = _backward(rounding, case, v, expected)
        case Kernel.IMAGE_BACKWARD:
            found = _image_backward(rounding, case, v, expected)
    unit = ROUNDOFF[case.dtype.stored] * (2 if chopped and case.dtype is DType.BF16 else 1)
    # Below the smallest normal number they are evenly spaced, and errors are absolute.
    smallest = torch.finfo(case.dtype.stored).tiny
    parties = TWO_IN_F64 if case.dtype is DType.F64 else 1.0
    return {
        name: parties * (bound + unit * expected[name].abs().clamp(min=smallest))
        for name, bound in found.items()
    }


def _chain(case: Case, algorithm: Algorithm) -> int:
    """The longest chain of additions behind a channel's sum."""
    if algorithm is Algorithm.UNPADDED_MOMENTS:
        # The tiles are not those of the case, and an interpreter adds their rows one by one: this
        # holds for any order.
        return case.length
    if algorithm.is_by_moments and case.kernel is Kernel.IMAGE_BACKWARD:
        return case.length
    tiles = (
        case.outer * math.ceil(case.inner / case.block)
        if case.kernel.is_image
        else math.ceil(case.outer / case.block)
    )
    return tiles + LANES + int(math.log2(case.block))


def _affine(
    rounding: _Rounding, v: Tensors, mean: str, slope: torch.Tensor, *, roundings: int
) -> Tensors:
    """`(x - mean) * slope + bias`: difference, slope and product round relatively to the product,
    the sum to both."""
    product = ((v["x"] - across(v[mean])) * across(slope)).abs()
    return {"y": rounding.unit * ((roundings + 4) * product + across(v["bias"]).abs())}


def _statistics(rounding: _Rounding, case: Case, v: Tensors, algorithm: Algorithm) -> Tensors:
    """Mean, variance, and what follows from them.

    Centred squares err relatively to the variance itself, plus the square of the mean's error: the
    squares around a point `e` off the mean sum to `N * e**2` more. One pass errs relatively to the
    mean square, which is larger by `mean**2 / var`.
    """
    u, eps, momentum = rounding.unit, as_f32(case.constants.eps), as_f32(case.constants.momentum)
    mean = v["x"].mean(OVER_CHANNEL)
    square = (v["x"] ** 2).mean(OVER_CHANNEL)
    var = ((v["x"] - across(mean)) ** 2).mean(OVER_CHANNEL)

    mean_error = (
        rounding.sum(v["x"].abs().mean(OVER_CHANNEL), DIVISION) + rounding.constants * mean.abs()
    )
    if algorithm is Algorithm.SOUND:
        var_error = rounding.sum(var + mean_error**2, DIVISION + 3) + mean_error**2
    else:
        square_error = rounding.sum(square, 4) + rounding.constants * square
        var_error = square_error + 2 * mean.abs() * mean_error + mean_error**2 + 3 * u * mean**2

    # The derivative of rsqrt is no bound where the error reaches the variance's own size: take the
    # interval's ends.
    rstd = torch.rsqrt(var + eps)
    worst = torch.rsqrt((var + eps - var_error).clamp(min=0.0))
    rstd_error = (worst - rstd) * (1 + RSQRT * u) + RSQRT * u * rstd

    def running(old: torch.Tensor, batch: torch.Tensor, batch_error: torch.Tensor) -> torch.Tensor:
        kept, taken = (1.0 - momentum) * old.abs(), momentum * batch.abs()
        return (3 * u + rounding.constants) * kept + 3 * u * taken + momentum * batch_error

    return {
        "mean": mean_error,
        "rstd": rstd_error,
        "running_mean": running(v["running_mean"], mean, mean_error),
        "running_var": running(v["running_var"], var, var_error),
    }


def _backward(rounding: _Rounding, case: Case, v: Tensors, expected: Tensors) -> Tensors:
    """Sums err relatively to the sums of absolute values; `dx` inherits their averages' errors,
    scaled."""
    u, count = rounding.unit, case.length
    xhat = ((v["x"] - across(v["mean"])) * across(v["rstd"])).abs()
    dbias_error = rounding.sum(v["dy"].abs().sum(OVER_CHANNEL))
    dweight_error = rounding.sum((v["dy"].abs() * xhat).sum(OVER_CHANNEL), 3)

    dbias, dweight = (
        across(expected["dbias"]).abs() / count,
        xhat * across(expected["dweight"]).abs() / count,
    )
    inherited = across(dbias_error) / count + xhat * across(dweight_error) / count
    own = u * (
        2 * v["dy"].abs() + (DIVISION + 2) * dbias + (DIVISION + 4) * dweight
    ) + rounding.constants * (dbias + dweight)
    slope = across(v["weight"] * v["rstd"]).abs()
    return {
        "dx": slope * (inherited + own) + 3 * u * expected["dx"].abs(),
        "dweight": dweight_error,
        "dbias": dbias_error,
    }


def _image_backward(rounding: _Rounding, case: Case, v: Tensors, expected: Tensors) -> Tensors:
    """As above with constant statistics: no average enters `dx`, and `rstd` is an `rsqrt` of our
    own."""
    rstd = torch.rsqrt(v["running_var"] + as_f32(case.constants.eps))
    xhat = ((v["x"] - across(v["running_mean"])) * across(rstd)).abs()
    return {
        "dx": rounding.unit * (RSQRT + 2) * expected["dx"].abs(),
        "dweight": rounding.sum((v["dy"].abs() * xhat).sum(OVER_CHANNEL), RSQRT + 3),
        "dbias": rounding.sum(v["dy"].abs().sum(OVER_CHANNEL)),
    }


STEP_ROUNDINGS: Final = 16
"""Roundings charged to a training step beside those of its sums. The launches hand each other a
mean and an rstd in the stored dtype, each rounded once; they enter `xhat`, `y` and the terms of
`dx` some ten times, with factors near one."""


def step_tolerance(
    case: Case,
    inputs: Mapping[str, torch.Tensor],
    expected: Tensors,
    algorithm: Algorithm,
    *,
    chopped: bool,
) -> dict[str, float]:
    """How far any element of a training step's results may be from float64's.

    The roundoff is the stored one, because stored statistics carry it on, or that of constants
    rounded to f32. It acts on the largest result, and for sums on the sum of absolute values.
    """
    unit = ROUNDOFF[case.dtype.stored] * (2 if chopped and case.dtype is DType.BF16 else 1)
    if algorithm.is_by_moments:
        unit = max(unit, F32_CONSTANTS)
    arithmetic = ROUNDOFF[case.dtype.arithmetic] * _chain(case, algorithm)
    x, dy = inputs["x"].double(), inputs["dy"].double()
    mean = x.mean(OVER_CHANNEL)
    xhat = (x - across(mean)) / across(x.std(OVER_CHANNEL))
    offset = 1.0 + float(
        (mean.abs() / x.std(OVER_CHANNEL)).max()
    )  # A rounded mean moves xhat by its own size.
    sums = {"dbias": dy.abs(), "dweight": (dy * xhat).abs()}
    scale = {
        name: float((sums[name].sum(OVER_CHANNEL) if name in sums else exact.abs()).max())
        for name, exact in expected.items()
    }
    return {
        name: (STEP_ROUNDINGS * unit * offset + arithmetic) * size for name, size in scale.items()
    }


MODULE_MARGIN: Final = 2.0
"""A bound is computed from float64's statistics, and the module's are off by its error."""


def module_tolerance(
    v: Mapping[str, torch.Tensor],
    *,
    stored: torch.dtype,
    kept: torch.dtype,
    algorithm: Algorithm,
    steps: int,
) -> dict[str, float]:
    """How far any element of what a batch norm module returns and keeps may be from float64's.

    As for a training step: roundings act on the terms of a result, whose sizes are taken from the
    inputs; `dx` is a difference of three terms that cancel in small batches, `y` of two. A mean is
    off by its own size, which moves `xhat` by that over the deviation; a mean square moves the
    variance by the square of this.

    Args: v: In float64, `x` and `dy` as `outer × channels × inner`, and one value a channel:
    `weight`, `bias`, the `mean` and `rstd` that are normalised with, the running statistics after
    the step. stored: The dtype of `x` and `y`. kept: That of parameters and buffers. algorithm:
    What the kernels compute. steps: How many have moved the running statistics.
    """
    arithmetic = ROUNDOFF[torch.float64 if stored is torch.float64 else torch.float32]
    constants = F32_CONSTANTS if algorithm.is_by_moments else 0.0
    x, dy = v["x"], v["dy"]
    outer, _, inner = x.shape
    chain = outer * inner if algorithm.is_by_moments else LANES + 10 + outer * inner // 128
    offset = 1.0 + float((v["mean"].abs() * v["rstd"]).max())
    conditioning = offset**2 if algorithm.is_by_moments else offset
    relative = {
        dtype: (STEP_ROUNDINGS * max(ROUNDOFF[dtype], constants) + arithmetic * chain)
        * conditioning
        for dtype in (stored, kept)
    }

    xhat = ((x - across(v["mean"])) * across(v["rstd"])).abs()
    terms = (dy * xhat).abs()
    slope = across(v["weight"] * v["rstd"]).abs()
    sizes = {
        "y": xhat * across(v["weight"]).abs() + across(v["bias"]).abs(),
        "dx": slope
        * (
            dy.abs() + across(dy.abs().mean(OVER_CHANNEL)) + xhat * across(terms.mean(OVER_CHANNEL))
        ),
        "dweight": terms.sum(OVER_CHANNEL),
        "dbias": dy.abs().sum(OVER_CHANNEL),
        "running_mean": steps * (v["running_mean"].abs() + x.abs().mean(OVER_CHANNEL)),
        "running_var": steps * (v["running_var"].abs() + 2 * x.var(OVER_CHANNEL)),
    }
    return {
        name: MODULE_MARGIN * relative[stored if name in {"y", "dx"} else kept] * float(size.max())
        for name, size in sizes.items()
    }


CURVE_ROUNDINGS: Final = 64
"""Roundings charged to a loss besides: those of a forward pass with sums of a few hundred terms,
for the steps at which torch's own happen to cancel."""


def curve_tolerance(theirs: Sequence[float], exact: Sequence[float]) -> list[float]:
    """How far each loss of a training run in f32 may be from the same run in float64.

    Training amplifies rounding errors, by how much depends on the model, and torch's own run in f32
    shows it: at each step we may have strayed a multiple of the furthest that torch has so far, the
    multiple that kernels are held to.
    """
    allowed, furthest = [], 0.0
    for step, (their, true) in enumerate(zip(theirs, exact, strict=True), start=1):
        furthest = max(furthest, abs(their - true))
        floor = CURVE_ROUNDINGS * ROUNDOFF[torch.float32] * math.sqrt(step) * abs(true)
        allowed.append(TORCH_MULTIPLE * furthest + floor)
    return allowed
