"""The functions that the kernels of a module call: lowered, named, and put above the kernels.

A function is there once for calls of different shapes, unless its text differs for them: the second text of a function
`f`, and the second function of that name, is `f__2`.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.passes.function_table import called
from transpiler.passes.wide_indices import SUFFIX
from transpiler.target.lower import lower_function
from transpiler.target.names import HOST_BUILTINS, HOST_NAMES, MODULE_NAMES, AnyOf, python_name
from transpiler.target.printer import print_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transpiler.ir.description import KernelPlan, WideFunction
    from transpiler.ir.nodes import Function as IrFunction
    from transpiler.ir.nodes import FunctionSymbol, Routine
    from transpiler.target.expressions import Callee
    from transpiler.target.lower import LoweredFunction
    from transpiler.target.model import Function


class ModuleFunctions:
    """The functions of a module in Python, and which of them each kernel is the first to need."""

    def __init__(
        self,
        functions: tuple[IrFunction, ...],
        plans: tuple[KernelPlan, ...],
        module_names: frozenset[str],
        origin: Callable[[Routine], str],
        forms: tuple[WideFunction, ...] = (),
    ) -> None:
        """Lower the functions, which come after those they call.

        `module_names` are those of the module's kernels and specialisations, `origin` tells where a
        function stands in the Rust; `forms` are those of functions with indices in 64 bits.
        """
        self._sources = {function.symbol: function for function in functions}
        self._lowered: dict[FunctionSymbol, LoweredFunction] = {}
        self._module_names = module_names
        # What a caller passes a kernel by name keeps its name.
        self._taken = set(module_names | MODULE_NAMES | HOST_NAMES | HOST_BUILTINS)
        if functions:
            self._taken.update(
                symbol.name
                for plan in plans
                for symbol in (*plan.kernel.parameters, *plan.kernel.const_generics)
            )
        self._present = frozenset(function.name for function in functions)
        self._texts: dict[tuple[int, bool], list[tuple[str, LoweredFunction]]] = {}
        self._shown: set[str] = set()
        for function in functions:
            self._lowered[function.symbol] = self._lower(function, origin(function))
        for form in forms:
            function = form.function
            self._sources[function.symbol] = function
            self._lowered[function.symbol] = self._lower(function, origin(function), form)

    def named_by(self, routine: Routine) -> dict[FunctionSymbol, Callee]:
        """The functions that a kernel or a function calls itself."""
        if not self._sources:
            return {}
        return {symbol: self._lowered[symbol].callee for symbol in called(routine)}

    def newly_used(self, routine: Routine) -> Iterator[Function]:
        """The functions that no kernel asked about before needs, callees first."""
        if not self._sources:
            return
        for symbol in called(routine):
            function = self._lowered[symbol].function
            if function.name not in self._shown:
                yield from self.newly_used(self._sources[symbol])
                self._shown.add(function.name)
                yield function

    def _lower(
        self, source: IrFunction, origin: str, form: WideFunction | None = None
    ) -> LoweredFunction:
        variants = self._texts.setdefault((source.span.start, form is not None), [])
        if variants:
            name = variants[0][1].callee.name
        elif form is None:
            name = self._name(source.name)
        else:
            name = self._name(f"{self._lowered[form.narrow].callee.name}{SUFFIX}")
        callees = self.named_by(source)
        reserved = AnyOf(self._module_names, {callee.name for callee in callees.values()})
        if form is None:
            lowered = lower_function(source, name, reserved, callees, origin)
        else:
            lowered = lower_function(source, name, reserved, callees, origin, form.widened)
            narrow = self._lowered[form.narrow]
            if (narrow.function.parameters, narrow.function.body) == (
                lowered.function.parameters,
                lowered.function.body,
            ):
                return narrow  # Triton takes its arguments as they are.
        text = "\n".join(line.text for line in print_function(lowered.function))
        for known, variant in variants:
            if known == text and variant.callee.passed == lowered.callee.passed:
                return variant
        if variants:
            name = self._numbered(name)
            lowered = replace(
                lowered,
                function=replace(lowered.function, name=name),
                callee=replace(lowered.callee, name=name),
            )
        self._taken.add(name)
        variants.append((text, lowered))
        return lowered

    def _name(self, rust: str) -> str:
        others = [variants[0][1].callee.name for variants in self._texts.values() if variants]
        if rust in others:
            return self._numbered(rust)
        return python_name(rust, self._taken, self._present)

    def _numbered(self, name: str) -> str:
        return next(
            numbered
            for number in itertools.count(2)
            if (numbered := f"{name}__{number}") not in self._taken
        )
