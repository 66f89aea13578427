"""The modules over a subject's operators."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from modules.batchnorm import OWN, Modules, batch_norm_modules
from tests.gpu.device import load
from tests.modules.by_hand import MatrixOperatorsByHand, OperatorsByHand
from tests.numerics.algorithms import Algorithm
from tests.numerics.modules import OWN_MODULE

if TYPE_CHECKING:
    from tests.numerics.modules import Subject


def has_operators(operators: object) -> bool:
    """Whether they are a generated module's own."""
    return isinstance(operators, ModuleType) and hasattr(operators, "batch_norm_stats")


@cache
def modules_of(subject: Subject) -> Modules:
    """`BatchNorm1d` and `BatchNorm2d` over it; loaded once a process."""
    if subject.path == OWN_MODULE.path and has_operators(OWN.BatchNorm1d.operators):
        return OWN
    kernels = load(subject.path)
    if has_operators(kernels):
        return batch_norm_modules(kernels)
    by_hand = MatrixOperatorsByHand if subject.algorithm is Algorithm.SOUND else OperatorsByHand
    return batch_norm_modules(by_hand(kernels=kernels))
