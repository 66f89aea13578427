"""The kernels of a file, as its operators look for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.launch_rules import LaunchRules
from transpiler.host.items import pair_holders
from transpiler.host.struct_names import struct_name

if TYPE_CHECKING:
    from transpiler.analysis.kernel_accesses import Accesses
    from transpiler.ir import nodes as ir
    from transpiler.ir.description import KernelPlan
    from transpiler.passes.cfg import Features
    from transpiler.syntax import nodes as syntax


class Kernels:
    """The kernels of a file, and what is worked out of each once.

    Attributes:
        plans: the kernels by their names.
        structs: the kernels by the names of their structs.
        all: the kernels in the order of the Rust.
    """

    def __init__(
        self,
        plans: tuple[KernelPlan, ...],
        accesses: Accesses,
        file: syntax.File,
        features: Features,
    ) -> None:
        self.plans = {plan.kernel.name: plan for plan in plans}
        self.structs = {struct_name(plan.kernel.name): plan.kernel for plan in plans}
        self.all = tuple(plan.kernel for plan in plans)
        self._groups = tuple(pair_holders(file, features, self.structs))
        self._accesses = accesses
        self._rules: dict[str, LaunchRules] = {}

    def partners(self, kernel: ir.Kernel) -> tuple[ir.Kernel, ...]:
        """The kernels that a struct holds beside this one."""
        groups = [group for group in self._groups if kernel in group]
        return tuple(other for group in groups for other in group if other is not kernel)

    def rules(self, kernel: ir.Kernel) -> LaunchRules:
        """What the accesses of a kernel say to who launches it."""
        if kernel.name not in self._rules:
            self._rules[kernel.name] = LaunchRules(kernel, self._accesses.of(kernel))
        return self._rules[kernel.name]
