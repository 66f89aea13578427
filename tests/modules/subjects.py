"""The modules over a subject's operators."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from modules.batchnorm import OWN, Modules, batch_norm_modules
from tests.gpu.device import load
from tests.modules.by_hand import MatrixOperatorsByHand, OperatorsByHand
from tests.numerics.algorithms import Algorithm
from tests.numerics.modules import OWN_MODULE

if TYPE_CHECKING:
    from tests.numerics.modules import Subject


@cache
def modules_of(subject: Subject) -> Modules:
    """`BatchNorm1d` and `BatchNorm2d` over it; loaded once a process."""
    if subject.path == OWN_MODULE.path and hasattr(OWN.BatchNorm1d.operators, "batch_norm_stats"):
        return OWN
    kernels = load(subject.path)
    if hasattr(kernels, "batch_norm_stats"):
        return batch_norm_modules(kernels)
    by_hand = MatrixOperatorsByHand if subject.algorithm is Algorithm.SOUND else OperatorsByHand
    return batch_norm_modules(by_hand(kernels=kernels))
