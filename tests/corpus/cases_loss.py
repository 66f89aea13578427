"""Losses and their gradients."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import FLAT, bits, elementwise, gradient, normal, positive, signs, unit
from tests.corpus.model import FLOATS, WIDE, Case, Launch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.corpus.model import Sampler, Tensors
    from transpiler.ir.types import DType

_case = partial(elementwise, "loss", outputs=("loss_ptr",))
_back = partial(elementwise, "loss", outputs=("dx_ptr",))
_TWO = {"pred_ptr": normal, "target_ptr": normal}
_PROBABILITIES = {"pred_ptr": unit, "target_ptr": bits}
_LOWEST = -(2.0**127)


def _bce(p: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return -(t * p.log() + (1 - t) * (1 - p).log())


def _huber(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    e = p - t
    return F.huber_loss(p, t, reduction="none", delta=0.75), e.clamp(-0.75, 0.75)


def _mean_gradient(p: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return 2 * (p - t) / len(p)


def _l1_mean(sample: Sampler, n: int, block: int) -> Launch:
    return Launch(
        tensors={
            "pred_ptr": sample.normal(n),
            "target_ptr": sample.normal(n),
            "loss_ptr": torch.zeros(1),
        },
        numbers={"n_elements": n},
        expected=lambda given: {"loss_ptr": F.l1_loss(given["pred_ptr"], given["target_ptr"])},
        constants={"BLOCK_SIZE": block},
        grid=(-(-n // block),),
    )


def _rows(
    kernel: str,
    reference: Callable[..., torch.Tensor],
    inputs: tuple[str, ...],
    output: str,
    dtypes: tuple[DType | None, ...] = (None,),
    *,
    has_block: bool = True,
    **numbers: float,
) -> Case:
    """A kernel with one program a row of scores, one class a row and maybe one gradient a row."""

    def prepare(sample: Sampler, n: int, c: int, block: int) -> Launch:
        tensors = {
            "dy_ptr": sample.normal(n),
            "x_ptr": sample.normal(n, c),
            "target_ptr": sample.whole(0, c, n),
            "loss_ptr": torch.zeros(n),
            "dx_ptr": torch.zeros(n, c),
        }
        wanted = (*inputs, output)
        return Launch(
            tensors={name: tensor for name, tensor in tensors.items() if name in wanted},
            numbers={"_N": n, "C": c, **numbers},
            expected=lambda given: {output: reference(*(given[name] for name in inputs))},
            constants={"BLOCK_SIZE": block} if has_block else {},
            grid=(n,),
        )

    shapes = (
        {"n": 3, "c": 11, "block": 16},
        {"n": 1, "c": 1, "block": 16},
        {"n": 2, "c": 16, "block": 64},
    )
    return Case(topic="loss", kernel=kernel, prepare=prepare, shapes=shapes, dtypes=dtypes)


def _picked(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return x.gather(1, target[:, None])[:, 0]


def _cross_entropy(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(x, target, reduction="none")


def _margins(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.multi_margin_loss(x, target, margin=1.5, reduction="none")


def _nll_backward(sample: Sampler, n: int, c: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        blank = torch.zeros(n, c, dtype=torch.float64)
        return {"dx_ptr": blank.scatter(1, given["target_ptr"][:, None], -given["dy_ptr"][:, None])}

    return Launch(
        tensors={
            "dy_ptr": sample.normal(n),
            "target_ptr": sample.whole(0, c, n),
            "dx_ptr": torch.zeros(n, c),
        },
        numbers={"_N": n, "C": c},
        expected=expected,
        grid=(n,),
    )


def _cosine(sample: Sampler, n: int, c: int, block: int) -> Launch:
    return Launch(
        tensors={
            "a_ptr": sample.normal(n, c),
            "b_ptr": sample.normal(n, c),
            "y_ptr": torch.zeros(n),
        },
        numbers={"_n_rows": n, "dim": c, "eps": 2.0**-20},
        expected=lambda given: {"y_ptr": F.cosine_similarity(given["a_ptr"], given["b_ptr"])},
        constants={"BLOCK_SIZE": block},
        grid=(n,),
    )


def _triplet(sample: Sampler, n: int, c: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        a, p, n = given["a_ptr"], given["p_ptr"], given["n_ptr"]
        return {"loss_ptr": ((a - p).norm(dim=1) - (a - n).norm(dim=1) + 1.0).clamp(min=0)}

    return Launch(
        tensors={
            "a_ptr": sample.normal(n, c),
            "p_ptr": sample.normal(n, c),
            "n_ptr": sample.normal(n, c),
            "loss_ptr": torch.zeros(n),
        },
        numbers={"_n_rows": n, "dim": c, "margin": 1.0},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(n,),
    )


def _ranking(a: torch.Tensor, b: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.margin_ranking_loss(a, b, y, margin=0.5, reduction="none")


_RANKED = {"a_ptr": normal, "b_ptr": normal, "y_ptr": signs}
_VECTORS = (
    {"n": 3, "c": 11, "block": 16},
    {"n": 1, "c": 1, "block": 16},
    {"n": 2, "c": 16, "block": 32},
)

CASES = [
    _case("bce_loss_forward", _bce, _PROBABILITIES),
    _back(
        "bce_loss_backward",
        gradient(_bce),
        {"dy_ptr": normal, **_PROBABILITIES},
    ),
    _case(
        "bce_with_logits_forward",
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none"),
        {"x_ptr": normal, "target_ptr": unit},
    ),
    _case("mse_loss_forward", lambda p, t: (p - t) ** 2, _TWO, dtypes=FLOATS),
    # The count's reciprocal is rounded to f32 whatever D is.
    _back("mse_loss_backward", _mean_gradient, _TWO, dtypes=(FLOATS[0], *FLOATS[2:])),
    Case(topic="loss", kernel="l1_loss_mean_forward", prepare=_l1_mean, shapes=FLAT),
    _case(
        "smooth_l1_loss_forward",
        lambda p, t: F.smooth_l1_loss(p, t, reduction="none", beta=0.5),
        _TWO,
        numbers={"beta": 0.5},
    ),
    _back(
        "smooth_l1_loss_backward",
        gradient(lambda p, t: F.smooth_l1_loss(p, t, reduction="none", beta=0.5)),
        {"dy_ptr": normal, **_TWO},
        numbers={"beta": 0.5},
    ),
    elementwise(
        "loss",
        "huber_loss_forward_backward",
        _huber,
        _TWO,
        ("loss_ptr", "dx_ptr"),
        numbers={"delta": 0.75},
    ),
    _case(
        "kl_div_forward",
        lambda x, t: F.kl_div(x, t, reduction="none"),
        {"x_ptr": normal, "target_ptr": lambda sample, n: unit(sample, n) * bits(sample, n)},
    ),
    _case(
        "poisson_nll_forward",
        lambda x, t: F.poisson_nll_loss(x, t, reduction="none"),
        {"x_ptr": normal, "target_ptr": positive},
    ),
    _rows(
        "nll_loss_forward",
        lambda x, target: -_picked(x, target),
        ("x_ptr", "target_ptr"),
        "loss_ptr",
        FLOATS,
        has_block=False,
    ),
    Case(
        topic="loss",
        kernel="nll_loss_backward",
        prepare=_nll_backward,
        shapes=({"n": 3, "c": 11}, {"n": 1, "c": 1}),
        dtypes=WIDE,
    ),
    _rows(
        "cross_entropy_loss_forward",
        _cross_entropy,
        ("x_ptr", "target_ptr"),
        "loss_ptr",
        neg_inf=_LOWEST,
    ),
    _rows(
        "cross_entropy_loss_backward",
        gradient(_cross_entropy),  # type: ignore[arg-type] # one gradient is wanted, so one comes
        ("dy_ptr", "x_ptr", "target_ptr"),
        "dx_ptr",
        neg_inf=_LOWEST,
    ),
    _rows("multi_margin_loss_forward", _margins, ("x_ptr", "target_ptr"), "loss_ptr", margin=1.5),
    _rows(
        "multi_margin_loss_backward",
        gradient(_margins),  # type: ignore[arg-type] # one gradient is wanted, so one comes
        ("dy_ptr", "x_ptr", "target_ptr"),
        "dx_ptr",
        margin=1.5,
    ),
    _case("margin_ranking_loss_forward", _ranking, _RANKED, numbers={"margin": 0.5}),
    elementwise(
        "loss",
        "margin_ranking_loss_backward",
        gradient(_ranking, 0, 1),
        {"dy_ptr": normal, **_RANKED},
        ("da_ptr", "db_ptr"),
        numbers={"margin": 0.5},
    ),
    _case(
        "hinge_embedding_loss_forward",
        lambda x, y: F.hinge_embedding_loss(x, y, margin=1.5, reduction="none"),
        {"x_ptr": normal, "y_ptr": signs},
        numbers={"margin": 1.5},
    ),
    _case(
        "soft_margin_loss_forward",
        lambda x, y: F.soft_margin_loss(x, y, reduction="none"),
        {"x_ptr": normal, "y_ptr": signs},
    ),
    Case(topic="loss", kernel="cosine_similarity_forward", prepare=_cosine, shapes=_VECTORS),
    Case(topic="loss", kernel="triplet_margin_loss_forward", prepare=_triplet, shapes=_VECTORS),
]
