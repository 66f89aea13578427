"""Who takes part: generated modules, torch eager, and what torch compiles."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch.nn import functional

from benchmarks.kernels.workloads import Arguments, Outputs, Row, grid_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    from benchmarks.kernels.truth import Adjust

Run: TypeAlias = Callable[[Arguments], Outputs]
"""Computes the outputs and gives them by name, in the arguments' own tensors or in others."""


class Name(Enum):
    """What tables call the contestants."""

    PLAIN = "plain"
    OPTIMISED = "optimised"
    EAGER = "torch eager"
    COMPILED = "torch.compile"
    HAND_WRITTEN = "hand-written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way of a contestant to compute a row; `note` tells it from the others."""

    note: str
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """Somebody who computes a row; the quickest candidate counts.

    `adjust` gives what is right for a contestant that computes by definition something else than the kernel.
    """

    name: Name
    candidates: tuple[Candidate, ...]
    adjust: Adjust | None = None


# --- Generated modules --------------------------------------------------------------------------------


def load(path: Path, name: str) -> ModuleType:
    """The generated module at `path`.

    Raises:
        FileNotFoundError: there is none.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look a module up by its name while it is being executed.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def generated(name: Name, module: ModuleType, row: Row, blocks: Sequence[int]) -> Contestant:
    """The launcher class of a module, with each of the block sizes."""
    kernel = module.KERNELS[row.kernel]
    is_as_written = name is Name.OPTIMISED and getattr(kernel, "optimised", None) is None
    as_written = " as written" if is_as_written else ""
    launcher = getattr(module, "".join(word.capitalize() for word in row.kernel.split("_")))
    return Contestant(
        name=name,
        candidates=tuple(
            Candidate(
                note=", ".join(f"{constant}={block}" for constant in kernel.constants) + as_written,
                run=_launching(
                    launcher(*[block] * len(kernel.constants)).launch,
                    grid_of(row),
                    kernel.parameters,
                    kernel.writes,
                ),
            )
            for block in blocks
        ),
    )


def _launching(
    launch: Callable[..., None],
    grid: tuple[int, ...],
    parameters: Iterable[str],
    writes: Iterable[str],
) -> Run:
    names = tuple(name.removesuffix("_ptr") for name in writes)

    def run(arguments: Arguments) -> Outputs:
        launch(grid, *(arguments.of(parameter) for parameter in parameters))
        return {name: arguments.tensors[name] for name in names}

    return run


# --- torch's own operators ------------------------------------------------------------------------------


def eager(row: Row) -> Contestant:
    """The operators that `torch.nn` comes down to, without a framework around them."""
    run = {
        "batch_norm_forward_inference": _eager_inference,
        "batch_norm_stats_forward": _eager_stats,
        "batch_norm_backward": _eager_backward,
        "batch_norm_2d_nchw_forward_inference": _eager_inference,
        "batch_norm_2d_nchw_backward": _eager_frozen_backward,
    }[row.kernel]
    is_unbiased = row.kernel == "batch_norm_stats_forward"
    return Contestant(
        name=Name.EAGER,
        candidates=(Candidate(note="", run=lambda arguments: run(row.shape, arguments)),),
        adjust=_unbiased if is_unbiased else None,
    )


def _eager_inference(shape: tuple[int, ...], a: Arguments) -> Outputs:
    t = a.tensors
    y = functional.batch_norm(
        t["x"].view(shape),
        t["running_mean"],
        t["running_var"],
        t["weight"],
        t["bias"],
        eps=a.numbers["eps"],
    )
    return {"y": y}


def _eager_stats(shape: tuple[int, ...], a: Arguments) -> Outputs:
    t = a.tensors
    mean, var = torch.ops.aten.batch_norm_update_stats(
        t["x"].view(shape), t["running_mean"], t["running_var"], a.numbers["momentum"]
    )
    return {
        "mean": mean,
        "rstd": torch.rsqrt(var + a.numbers["eps"]),
        "running_mean": t["running_mean"],
        "running_var": t["running_var"],
    }


def _unbiased(exact: Outputs, a: Arguments) -> Outputs:
    """Torch's running variance takes `var * N / (N - 1)`."""
    var = exact["rstd"] ** -2 - a.numbers["eps"]
    more = a.numbers["momentum"] * var / (a.x.shape[0] - 1)
    return {**exact, "running_var": exact["running_var"] + more}


def _eager_backward(shape: tuple[int, ...], a: Arguments) -> Outputs:
    t = a.tensors
    dx, dweight, dbias = torch.ops.aten.native_batch_norm_backward(
        *(t["dy"].view(shape), t["x"].view(shape), t["weight"], None, None),
        *(a.wide["mean"], a.wide["rstd"], True, 0.0, [True, True, True]),
    )
    return {"dx": dx, "dweight": dweight, "dbias": dbias}


def _eager_frozen_backward(shape: tuple[int, ...], a: Arguments) -> Outputs:
    t = a.tensors
    dx, dweight, dbias = torch.ops.aten.native_batch_norm_backward(
        *(t["dy"].view(shape), t["x"].view(shape), t["weight"]),
        *(t["running_mean"], t["running_var"], None, None),
        *(False, a.numbers["eps"], [True, True, True]),
    )
    return {"dx": dx, "dweight": dweight, "dbias": dbias}


# --- What torch compiles --------------------------------------------------------------------------------

Tensor: TypeAlias = torch.Tensor


def compiled(row: Row, device: torch.device) -> Contestant:
    """The formulas in plain torch through `torch.compile`; on a CPU they are traced and not compiled."""
    function, names, outputs = _FORMULAS[row.kernel]
    compiled_function = torch.compile(
        function, dynamic=False, backend="inductor" if device.type == "cuda" else "eager"
    )

    def run(arguments: Arguments) -> Outputs:
        numbers = {name: arguments.numbers[name] for name in ("eps", "momentum") if name in names}
        tensors: Mapping[str, Tensor] = {
            name: arguments.tensors[name].view(row.shape)
            if arguments.tensors[name].dim() > 1
            else arguments.tensors[name]
            for name in names
            if name not in numbers
        }
        results = compiled_function(**tensors, **numbers)
        written = {name: arguments.tensors[name] for name in outputs[len(results) :]}
        return dict(zip(outputs, results, strict=False)) | written

    return Contestant(name=Name.COMPILED, candidates=(Candidate(note="", run=run),))


def _inference(
    x: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, eps: float
) -> tuple[Tensor]:
    return (functional.batch_norm(x, running_mean, running_var, weight, bias, eps=eps),)


def _stats(
    x: Tensor, running_mean: Tensor, running_var: Tensor, eps: float, momentum: float
) -> tuple[Tensor, Tensor]:
    var, mean = torch.var_mean(x.float(), 0, correction=0)
    running_mean.copy_((1 - momentum) * running_mean.float() + momentum * mean)
    running_var.copy_((1 - momentum) * running_var.float() + momentum * var)
    return mean.to(x.dtype), torch.rsqrt(var + eps).to(x.dtype)


def _backward(
    dy: Tensor, x: Tensor, weight: Tensor, mean: Tensor, rstd: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    upstream = dy.float()
    xhat = (x.float() - mean.float()) * rstd.float()
    dbias = upstream.sum(0)
    dweight = (upstream * xhat).sum(0)
    count = x.shape[0]
    dx = weight.float() * rstd.float() * (upstream - dbias / count - xhat * (dweight / count))
    return dx.to(x.dtype), dweight.to(x.dtype), dbias.to(x.dtype)


def _frozen_backward(
    dy: Tensor, x: Tensor, weight: Tensor, running_mean: Tensor, running_var: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    upstream = dy.float()
    rstd = torch.rsqrt(running_var.float() + eps).view(1, -1, 1, 1)
    xhat = (x.float() - running_mean.float().view(1, -1, 1, 1)) * rstd
    dx = weight.float().view(1, -1, 1, 1) * rstd * upstream
    dweight = (upstream * xhat).sum((0, 2, 3))
    return dx.to(x.dtype), dweight.to(x.dtype), upstream.sum((0, 2, 3)).to(x.dtype)


_NORMALISING = ("x", "weight", "bias", "running_mean", "running_var", "eps")
_GRADIENTS = ("dx", "dweight", "dbias")
_FORMULAS: dict[str, tuple[Callable[..., tuple[Tensor, ...]], tuple[str, ...], tuple[str, ...]]] = {
    "batch_norm_forward_inference": (_inference, _NORMALISING, ("y",)),
    "batch_norm_stats_forward": (
        _stats,
        ("x", "running_mean", "running_var", "eps", "momentum"),
        ("mean", "rstd", "running_mean", "running_var"),
    ),
    "batch_norm_backward": (_backward, ("dy", "x", "weight", "mean", "rstd"), _GRADIENTS),
    "batch_norm_2d_nchw_forward_inference": (_inference, _NORMALISING, ("y",)),
    "batch_norm_2d_nchw_backward": (
        _frozen_backward,
        ("dy", "x", "weight", "running_mean", "running_var", "eps"),
        _GRADIENTS,
    ),
}
"""For each kernel a function, the names of its arguments, and the outputs: those it returns, then those it updates."""
