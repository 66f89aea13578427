"""Which files the numeric tests run on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.numerics.algorithms import Algorithm

if TYPE_CHECKING:
    import pytest

ROOT: Final = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A generated module, or the Rust to make one from, with `-O` or not, and what its kernels compute."""

    path: Path
    algorithm: Algorithm
    is_optimised: bool = False

    @property
    def name(self) -> str:
        """What test ids call it."""
        return f"{self.path.name}-{self.algorithm}{'-optimised' if self.is_optimised else ''}"


OWN_RUST: Final = Subject(path=ROOT / "kernels/batchnorm.rs", algorithm=Algorithm.SOUND)
OWN_MODULE: Final = Subject(path=ROOT / "generated/batchnorm.py", algorithm=Algorithm.SOUND)
REFERENCE_RUST: Final = Subject(
    path=ROOT.parent / "shared/reference/batchnorm.rs", algorithm=Algorithm.MOMENTS
)
"""Not part of the project: present where the project is developed."""
OWN_OPTIMISED: Final = replace(OWN_RUST, is_optimised=True)
REFERENCE_OPTIMISED: Final = replace(
    REFERENCE_RUST, algorithm=Algorithm.UNPADDED_MOMENTS, is_optimised=True
)


def chosen_subjects(config: pytest.Config, *otherwise: Subject) -> list[Subject]:
    """What the values of `--generated`, each `[ALGORITHM=]PATH`, name; else the given ones."""
    chosen = []
    for text in config.getoption("--generated"):
        algorithm, separator, path = text.rpartition("=")
        kind = Algorithm(algorithm) if separator else Algorithm.SOUND
        chosen.append(Subject(path=Path(path).resolve(), algorithm=kind))
    return chosen or list(otherwise)
