"""The modules over a subject's operators."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from modules.batchnorm import OWN, Modules, batch_norm_modules
from tests.gpu.device import load
from tests.numerics.modules import OWN_MODULE

if TYPE_CHECKING:
    from tests.numerics.modules import Subject


@cache
def modules_of(subject: Subject) -> Modules:
    """`BatchNorm1d` and `BatchNorm2d` over it; loaded once a process."""
    return OWN if subject.path == OWN_MODULE.path else batch_norm_modules(load(subject.path))
