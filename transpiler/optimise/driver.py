"""Runs the optimiser over a module: a launch plan for every kernel that gains by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.optimise.planning import Planner
from transpiler.optimise.tuned import with_choices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transpiler.ir import nodes as ir
    from transpiler.ir.launch_plan import LaunchPlan
    from transpiler.optimise.flags import OptimiseOptions
    from transpiler.optimise.remarks import Remarks

    Observer = Callable[[str, str], None]
    """Is given the name of each transform and the IR after it, as text."""


def optimise(
    module: ir.Module,
    options: OptimiseOptions,
    remarks: Remarks,
    observe: Observer | None = None,
) -> Mapping[str, LaunchPlan]:
    """The plans of kernels, by the kernels' names; none for those that stay as they are.

    `module` is as the pass before `legalise` leaves it, and so are the kernels of the stages.
    """
    functions = {function.symbol: function for function in module.functions}
    plans: dict[str, LaunchPlan] = {}
    for kernel in module.kernels:
        plan = Planner(kernel, functions, options, remarks, observe).plan()
        if plan is not None:
            tuned = options.tuned
            plans[kernel.name] = plan if tuned is None else with_choices(plan, tuned)
    return plans
