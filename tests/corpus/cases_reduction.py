"""Reductions of rows, softmax and scans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.corpus.builders import gradient
from tests.corpus.model import FLOATS, NUMBERS, Case, Launch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.corpus.model import Sampler, Tensors
    from transpiler.ir.types import DType

_LOWEST = -(2.0**127)
_SHAPES = (
    {"rows": 3, "n": 21, "block": 32},
    {"rows": 1, "n": 2, "block": 16},
    {"rows": 4, "n": 16, "block": 16},
)


def _rows(
    kernel: str,
    reference: Callable[..., torch.Tensor],
    inputs: Mapping[str, str],
    output: tuple[str, str],
    *,
    dtypes: tuple[DType | None, ...] = (None,),
    shapes: tuple[Mapping[str, int], ...] = _SHAPES,
    block: str = "BLOCK_INNER",
    sizes: tuple[str, str] = ("n_outer", "n_inner"),
    spare: int = 2,
    neg_inf: float | None = None,
) -> Case:
    """A kernel with a program a row, and `spare` programs beyond them.

    `inputs` and `output` name the pointers and their shapes, `row` for one number a row and `all`.
    """

    def prepare(sample: Sampler, rows: int, n: int, **rest: int) -> Launch:
        def make(shape: str) -> torch.Tensor:
            return sample.normal(rows, 1) if shape == "row" else sample.normal(rows, n)

        tensors = {name: make(shape) for name, shape in inputs.items()}
        tensors[output[0]] = torch.zeros(rows, 1 if output[1] == "row" else n)

        def expected(given: Tensors) -> Tensors:
            return {output[0]: reference(*(given[name] for name in inputs))}

        extra = {} if neg_inf is None else {"neg_inf": neg_inf}
        return Launch(
            tensors=tensors,
            numbers={sizes[0]: rows, sizes[1]: n, **extra},
            expected=expected,
            constants={block: rest["block"]},
            grid=(rows + spare,),
        )

    return Case(topic="reduction", kernel=kernel, prepare=prepare, shapes=shapes, dtypes=dtypes)


_X = {"x_ptr": "all"}
_ROW = ("y_ptr", "row")
_ALL = ("y_ptr", "all")


def _largest_gradient(dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.where(x == y, dy, 0.0)


def _softmax_gradient(dy: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return y * (dy - (dy * y).sum(1, keepdim=True))


def _log_softmax_gradient(dy: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return dy - y.exp() * dy.sum(1, keepdim=True)


def _cumsum(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(1)


def _of_rows(dy: torch.Tensor) -> torch.Tensor:
    found = gradient(_cumsum)(dy, torch.zeros_like(dy))
    return torch.as_tensor(found)


def _column_block(kernel: str, *arguments: object, **options: object) -> Case:
    """A kernel that reads whole rows, and is launched with as many programs."""
    return _rows(
        kernel,
        *arguments,  # type: ignore[arg-type] # passed on as they are
        block="BLOCK_SIZE",
        sizes=("_rows", "n_cols"),
        spare=0,
        **options,  # type: ignore[arg-type] # passed on as they are
    )


CASES = [
    _rows("reduce_sum_forward", lambda x: x.sum(1), _X, _ROW),
    Case(
        topic="reduction",
        kernel="reduce_sum_backward",
        prepare=lambda sample, rows, n, block: Launch(
            tensors={"dy_ptr": sample.normal(rows, 1), "dx_ptr": torch.zeros(rows, n)},
            numbers={"n_outer": rows, "n_inner": n},
            expected=lambda given: {"dx_ptr": given["dy_ptr"].expand(rows, n)},
            constants={"BLOCK_INNER": block},
            grid=(rows + 1,),
        ),
        shapes=_SHAPES,
        tolerance="exact",
    ),
    _rows("reduce_mean_forward", lambda x: x.mean(1), _X, _ROW),
    _rows("reduce_max_forward", lambda x: x.amax(1), _X, _ROW),
    _rows(
        "reduce_max_backward",
        _largest_gradient,
        {"dy_ptr": "row", "x_ptr": "all", "y_ptr": "row"},
        ("dx_ptr", "all"),
    ),
    _rows("reduce_min_forward", lambda x: x.amin(1), _X, _ROW),
    _rows("reduce_log_sum_exp_forward", lambda x: x.logsumexp(1), _X, _ROW, neg_inf=_LOWEST),
    _rows("reduce_prod_forward", lambda x: x.prod(1), _X, _ROW),
    _rows("reduce_var_forward", lambda x: x.var(1), _X, _ROW),
    _rows("reduce_norm_forward", lambda x: x.norm(dim=1), _X, _ROW),
    _rows(
        "sum_dim_forward",
        lambda x: x.sum(1),
        _X,
        _ROW,
        dtypes=NUMBERS,
        shapes=({"rows": 3, "n": 37, "block": 16}, {"rows": 1, "n": 1, "block": 16}),
        block="BLOCK",
        sizes=("_n_outer", "n_inner"),
        spare=0,
    ),
    _column_block(
        "softmax_forward",
        lambda x: x.softmax(1),
        _X,
        _ALL,
        dtypes=FLOATS,
        shapes=({"rows": 3, "n": 16, "block": 16}, {"rows": 1, "n": 64, "block": 64}),
    ),
    _column_block(
        "softmax_backward",
        _softmax_gradient,
        {"dy_ptr": "all", "y_ptr": "all"},
        ("dx_ptr", "all"),
        dtypes=FLOATS,
    ),
    _column_block("log_softmax_forward", lambda x: x.log_softmax(1), _X, _ALL, neg_inf=_LOWEST),
    _column_block(
        "log_softmax_backward",
        _log_softmax_gradient,
        {"dy_ptr": "all", "y_ptr": "all"},
        ("dx_ptr", "all"),
    ),
    _rows("cumsum_forward", _cumsum, _X, _ALL),
    _rows("cumsum_backward", _of_rows, {"dy_ptr": "all"}, ("dx_ptr", "all")),
    _rows("cumprod_forward", lambda x: x.cumprod(1), _X, _ALL),
]
