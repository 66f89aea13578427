"""The launch plans of a module: the kernels of their stages, and the functions that say what is launched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.description import KernelPlan, LaunchFacts
from transpiler.passes.launch_facts import function_facts, launch_facts
from transpiler.passes.wide_indices import SUFFIX as INDEX64
from transpiler.target.launch_plans import depended_on, lower_plan
from transpiler.target.lower import lower_kernel
from transpiler.target.names import python_name
from transpiler.target.tuning import SUFFIX
from transpiler.target.tuning import tuned as tuned_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.emit.functions import ModuleFunctions
    from transpiler.ir.launch_plan import Stage
    from transpiler.ir.nodes import Module, Routine
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Expression, Function

_PREFIX = "_plan_"
_NO_FACTS = LaunchFacts(grid_axes=(), reads=(), writes=(), atomics=())


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedPlan:
    """What a module has of a plan: its function, and the kernels of its stages, each once, with their tuned forms."""

    function: Function
    stages: tuple[LoweredKernel, ...]
    tuned: tuple[tuple[str, Expression], ...]


class PlanLowering:
    """Lowers the plans of a module; no two kernels of stages have one name."""

    def __init__(
        self,
        module: Module,
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
        self._facts = function_facts(module)

    def lower(self, plan: KernelPlan, kernel: LoweredKernel) -> EmittedPlan | None:
        """What becomes of the plan of a kernel, if it has one."""
        if plan.optimised is None:
            return None
        found: dict[str, list[LoweredKernel]] = {}
        stages = [
            [self._stage(stage, found) for stage in variant.stages]
            for variant in plan.optimised.variants
        ]
        name = self._name(f"{_PREFIX}{kernel.function.name}")
        lowered = tuple(it for each in found.values() for it in each)
        kept, tuned, tuned_names = depended_on(plan.optimised), [], {}
        for each in lowered:
            launched = [
                stage
                for variant, own in zip(plan.optimised.variants, stages, strict=True)
                for stage, it in zip(variant.stages, own, strict=True)
                if it is each
            ]
            facts = launch_facts(launched[0].kernel, None, self._facts)
            tuned_names[each.function.name] = self._name(f"{each.function.name}{SUFFIX}")
            form = tuned_form(plan.optimised, launched, each, facts, kept)
            tuned.append((tuned_names[each.function.name], form))
        hidden = self._module_names.union(tuned_names, tuned_names.values())
        return EmittedPlan(
            function=lower_plan(plan.optimised, kernel, stages, name, hidden, tuned_names),
            stages=lowered,
            tuned=tuple(tuned),
        )

    def _name(self, name: str) -> str:
        chosen = python_name(name, self._taken, frozenset())
        self._taken.add(chosen)
        return chosen

    def _stage(self, stage: Stage, found: dict[str, list[LoweredKernel]]) -> LoweredKernel:
        """The kernel of a stage; variants may have some in common."""
        kernel = stage.kernel
        own = KernelPlan(kernel=kernel, facts=_NO_FACTS, specialisations=(), index64=stage.index64)
        callees = self._functions.named_by(kernel)
        hidden = self._module_names.union(callee.name for callee in callees.values())
        lowered = lower_kernel(own, kernel.name, hidden, self._origin(kernel), callees)
        for known in found.setdefault(kernel.name, []):
            if replace(known.function, name=kernel.name) == lowered.function:
                return known
        function = replace(lowered.function, name=self._name(kernel.name))
        form = lowered.own_form
        index64 = None if lowered.index64 is None else function
        if form is not None:
            index64 = replace(form, name=self._name(f"{function.name}{INDEX64}"))
        lowered = replace(lowered, function=function, index64=index64)
        found[kernel.name].append(lowered)
        return lowered
