"""The launch plans of a module: the kernels of their stages, and the functions that say what is launched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.description import KernelPlan, LaunchFacts
from transpiler.target.launch_plans import lower_plan
from transpiler.target.lower import lower_kernel
from transpiler.target.names import python_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.emit.functions import ModuleFunctions
    from transpiler.ir.nodes import Kernel, Routine
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Function

_PREFIX = "_plan_"
_NO_FACTS = LaunchFacts(grid_axes=(), reads=(), writes=(), atomics=())


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedPlan:
    """What a module has of a plan: its function, and the kernels of its stages, each once."""

    function: Function
    stages: tuple[LoweredKernel, ...]


class PlanLowering:
    """Lowers the plans of a module; no two kernels of stages have one name."""

    def __init__(
        self,
        functions: ModuleFunctions,
        module_names: frozenset[str],
        taken: frozenset[str],
        origin: Callable[[Routine], str],
    ) -> None:
        """`module_names` are the names that no local may hide, `taken` all that the module has."""
        self._functions = functions
        self._module_names = module_names
        self._taken = set(taken)
        self._origin = origin

    def lower(self, plan: KernelPlan, kernel: LoweredKernel) -> EmittedPlan | None:
        """What becomes of the plan of a kernel, if it has one."""
        if plan.optimised is None:
            return None
        found: dict[str, list[LoweredKernel]] = {}
        stages = [
            [self._stage(stage.kernel, found) for stage in variant.stages]
            for variant in plan.optimised.variants
        ]
        name = python_name(f"{_PREFIX}{kernel.function.name}", self._taken, frozenset())
        self._taken.add(name)
        hidden = self._module_names.union(
            it.function.name for each in found.values() for it in each
        )
        return EmittedPlan(
            function=lower_plan(plan.optimised, kernel, stages, name, hidden),
            stages=tuple(it for each in found.values() for it in each),
        )

    def _stage(self, kernel: Kernel, found: dict[str, list[LoweredKernel]]) -> LoweredKernel:
        """The kernel of a stage; variants may have some in common."""
        own = KernelPlan(kernel=kernel, facts=_NO_FACTS, specialisations=())
        callees = self._functions.named_by(kernel)
        hidden = self._module_names.union(callee.name for callee in callees.values())
        lowered = lower_kernel(own, kernel.name, hidden, self._origin(kernel), callees)
        for known in found.setdefault(kernel.name, []):
            if replace(known.function, name=kernel.name) == lowered.function:
                return known
        name = python_name(kernel.name, self._taken, frozenset())
        self._taken.add(name)
        lowered = replace(lowered, function=replace(lowered.function, name=name))
        found[kernel.name].append(lowered)
        return lowered
