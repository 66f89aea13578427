"""What tuning found, made the default: tiles and warps by the kernels of stages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.extent import Number

if TYPE_CHECKING:
    from transpiler.ir.launch_plan import LaunchPlan, Stage

_WARPS = "num_warps"


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedChoices:
    """The tiles and the warps, by kernel; `origin` is the name of the file in which they stand."""

    origin: str
    kernels: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def read_choices(text: str, origin: str) -> TunedChoices:
    """The choices in a JSON text, as `tuned_choices()` of a generated module gives them.

    Raises:
        ValueError: it is something else.
    """
    kernels: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError("it has no kernels with their choices")  # noqa: TRY004 - of the text, not of a type
    for kernel, choices in sorted(read.items()):
        if not isinstance(choices, dict):
            raise ValueError(f"the choices of {kernel!r} have no names")  # noqa: TRY004 - the same
        for name, value in choices.items():
            if type(value) is not int or value < 1 or value & (value - 1):
                raise ValueError(f"{name!r} of {kernel!r} is no power of two: {value!r}")
        kernels.append((kernel, tuple(sorted(choices.items()))))
    return TunedChoices(origin=origin, kernels=tuple(kernels))


def with_choices(plan: LaunchPlan, choices: TunedChoices) -> LaunchPlan:
    """The plan with what was found for its stages; a tile that tuning does not choose stays as it is."""
    known = {kernel: dict(found) for kernel, found in choices.kernels}

    def tuned(stage: Stage) -> Stage:
        found = known.get(stage.kernel.name, {})
        return replace(
            stage,
            tiles=tuple(
                replace(tile, default=Number(found[tile.name]))
                if tile.choices and tile.name in found
                else tile
                for tile in stage.tiles
            ),
            warps=Number(found[_WARPS]) if _WARPS in found else stage.warps,
        )

    return replace(
        plan,
        variants=tuple(
            replace(variant, stages=tuple(map(tuned, variant.stages))) for variant in plan.variants
        ),
    )
