"""Who takes part in a run, on which device, and what was found out about them beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from benchmarks.kernels.contestants import Contestant, Name, compiled, eager, generated
from benchmarks.kernels.hand_launches import all_candidates, hand_written_contestant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    import torch

    from benchmarks.kernels.workloads import Row
    from transpiler.ir.types import DType


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A candidate of a contestant on a row in a dtype: what is tried, and what may be left out."""

    row: Row
    dtype: DType
    contestant: Name
    place: int

    @property
    def key(self) -> str:
        """A name for files and processes."""
        return f"{self.row.key} {self.dtype.value} {self.contestant.value} {self.place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUp:
    """The contestants of a run; those of `names` take part.

    With `is_tuning` the hand-written kernels come in every configuration there is.
    """

    device: torch.device
    plain: ModuleType
    optimised: ModuleType
    blocks: tuple[int, ...]
    names: tuple[Name, ...]
    is_tuning: bool

    def contestant(self, name: Name, row: Row, dtype: DType) -> Contestant:
        """A contestant, ready for a row in a dtype."""
        match name:
            case Name.PLAIN:
                return generated(name, self.plain, row, self.blocks)
            case Name.OPTIMISED:
                return generated(name, self.optimised, row, self.blocks)
            case Name.EAGER:
                return eager(row)
            case Name.COMPILED:
                return compiled(row, self.device)
            case Name.HAND_WRITTEN if self.is_tuning:
                return Contestant(name=name, candidates=all_candidates(row))
            case Name.HAND_WRITTEN:
                return hand_written_contestant(row, dtype)
            case _:
                assert_never(name)

    def items(self, rows: Sequence[Row], dtypes: Sequence[DType]) -> Iterator[Item]:
        """All that is to be computed."""
        for dtype in dtypes:
            for row in rows:
                for name in self.names:
                    for place in range(len(self.contestant(name, row, dtype).candidates)):
                        yield Item(row=row, dtype=dtype, contestant=name, place=place)
