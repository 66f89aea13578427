"""The operators of a module: for each `RuntimeOp` its class, the torch operators, and the function that callers use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.records import texts
from transpiler.emit.views import OperatorView
from transpiler.host.plan import GRID
from transpiler.target.document import INDENT
from transpiler.target.expression_printer import flat, quoted
from transpiler.target.printer import docstring, print_function

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.plan import HostPlan, Operator
    from transpiler.target.lower import LoweredKernel

_MAKES = {"float": "float", GRID: "tuple"}
"""What callers may give in several forms, and what makes one of them."""


def operator_views(
    host: HostPlan, names: list[str], namespace: str, kernels: Mapping[str, LoweredKernel]
) -> tuple[OperatorView, ...]:
    """The operators of a plan; `names` are those of their functions in Python, `kernels` are by their Rust names."""
    return tuple(
        _view(it, name, namespace, kernels) for it, name in zip(host.operators, names, strict=True)
    )


def _view(
    operator: Operator,
    name: str,
    namespace: str,
    kernels: Mapping[str, LoweredKernel],
) -> OperatorView:
    names = (*operator.inputs, *operator.parameters)
    tensors = ", ".join(names)
    arguments = [(it.name, it.annotation) for it in operator.arguments]
    shape = [("output_shape", "Sequence[int]")] if operator.takes_output_shape else []
    required = [f"{it.name}: {it.annotation}" for it in operator.arguments if it.default is None]
    optional = [
        f"{it.name}: {it.annotation} = {flat(it.default)}"
        for it in operator.arguments
        if it.default is not None
    ]
    keywords = [f"{name}: {kind}" for name, kind in shape] + required + optional
    made = [f"{_MAKES[kind]}({name})" if kind in _MAKES else name for name, kind in arguments]
    made_backward = [*made, "dtype=grad_output.dtype"] if operator.needs_dtype else made
    if operator.needs_dtype:
        made = [*made, f"dtype={operator.output_like}.dtype"]
    backward = operator.backward
    return OperatorView(
        class_name=operator.struct_name,
        bases="Launcher, RuntimeOp" if operator.is_launcher else "RuntimeOp",
        docs=tuple(
            docstring(operator.docs, INDENT)
            or [f'{INDENT}"""Launches `{operator.forward.name}`."""']
        ),
        facts=tuple(_facts(operator)),
        methods=tuple(
            "\n".join(line.text for line in print_function(method, level=1))
            for method in operator.methods
        ),
        name=name,
        definition=f"_{operator.name}_op",
        qualified=f"{namespace}::{operator.name}",
        updated=flat(texts(operator.updated)),
        tensor_parameters=tuple(f"{name}: Tensor" for name in names),
        argument_parameters=tuple(f"{name}: {kind}" for name, kind in (*shape, *arguments)),
        keyword_parameters=("*", *keywords) if keywords else (),
        tensors=tensors,
        together=f"({tensors},)" if len(names) == 1 else f"({tensors})",
        passed="".join(f", {name}" for name, _ in (*shape, *arguments)),
        shape="output_shape" if shape else "None",
        passed_shape=", output_shape=tuple(output_shape)" if shape else "",
        construction=f"{operator.struct_name}({', '.join(made)})",
        backward_construction=f"{operator.struct_name}({', '.join(made_backward)})",
        cached=f"_operator({', '.join((operator.struct_name, *made))})",
        forward_forms=_forms(kernels[operator.forward.name]),
        # torch takes no derivative of an operator that changes its arguments.
        backward_forms=_forms(kernels[backward.name])
        if backward is not None and not operator.updated
        else (),
    )


def _forms(kernel: LoweredKernel) -> tuple[str, ...]:
    """The kernel, and that with 64-bit offsets, by the names that torch looks for."""
    return tuple(it.name for it in (kernel.function, kernel.own_form) if it is not None)


def _facts(operator: Operator) -> list[str]:
    """The lines of the class that tell the runtime what the Rust leaves unsaid."""
    facts = [
        ("_inputs", operator.inputs),
        ("_parameters", operator.parameters),
        ("_updated", operator.updated),
        ("_gradients", operator.gradients),
        ("_whole_gradients", operator.whole_gradients),
        ("_saved", operator.saved),
    ]
    lines = [f"{name} = {flat(texts(value))}" for name, value in facts if value]
    if any(rank is not None for rank in operator.ranks):
        lines.append(f"_ranks = {operator.ranks!r}")
    if operator.saves_output:
        lines.append("_saves_output = True")
    if operator.zeroes_output:
        lines.append("_zeroes_output = True")
    if operator.inputs.index(operator.output_like):
        lines.append(f"_output_like = {operator.inputs.index(operator.output_like)}")
    if operator.output_dtype is not None:
        lines.append(f"_output_dtype = _DTYPES[{quoted(operator.output_dtype.value)}]")
    return lines
