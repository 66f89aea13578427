"""The operators of a module: for each `RuntimeOp` its class, the torch operators, and the function that callers use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.records import texts
from transpiler.emit.views import OperatorView
from transpiler.host.plan import GRID
from transpiler.target.document import INDENT
from transpiler.target.expression_printer import print_expression
from transpiler.target.flat import flat, quoted
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Clause,
    Comprehension,
    Keyword,
    Name,
    Number,
    Operator,
    Starred,
    Subscript,
    Tuple,
)
from transpiler.target.printer import docstring, print_function, with_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.emit.plans import EmittedPlan
    from transpiler.host import plan
    from transpiler.host.plan import HostPlan
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Expression

_MAKES = {"float": "float", GRID: "tuple"}
"""What callers may give in several forms, and what makes one of them."""


def operator_views(
    host: HostPlan,
    names: list[str],
    namespace: str,
    kernels: Mapping[str, tuple[LoweredKernel, EmittedPlan | None]],
) -> tuple[OperatorView, ...]:
    """The operators of a plan; `names` are those of their functions in Python, `kernels` are by their Rust names."""
    return tuple(
        _view(it, name, namespace, kernels) for it, name in zip(host.operators, names, strict=True)
    )


def _view(
    operator: plan.Operator,
    name: str,
    namespace: str,
    kernels: Mapping[str, tuple[LoweredKernel, EmittedPlan | None]],
) -> OperatorView:
    names = (*operator.inputs, *operator.parameters)
    left_out = names[len(names) - operator.optional :]
    arguments = [(it.name, it.annotation) for it in operator.arguments]
    of_caller = [it for it in operator.arguments if it.name != operator.count]
    shape = [("output_shape", "Sequence[int]")] if operator.takes_output_shape else []
    required = [f"{it.name}: {it.annotation}" for it in of_caller if it.default is None]
    optional = [
        f"{it.name}: {it.annotation} = {flat(it.default)}"
        for it in of_caller
        if it.default is not None
    ]
    keywords = [f"{name}: {kind}" for name, kind in shape] + required + optional
    made = tuple(
        Call(Name(_MAKES[kind]), (Name(name),)) if kind in _MAKES else Name(name)
        for name, kind in arguments
    )
    counted = Call(Name("len"), (Name(operator.inputs[0]),))
    cached = tuple(counted if each == Name(operator.count or "") else each for each in made)
    given = tuple(
        counted if name == operator.count else Name(name) for name, _ in (*shape, *arguments)
    )
    cls, definition = Name(operator.struct_name), Name(f"_{operator.name}_op")
    several = operator.inputs if operator.count is not None else ()
    each = tuple(Starred(Name(name)) if name in several else Name(name) for name in names)
    together: Expression = Tuple(each)
    passed: tuple[Expression, ...] = (Starred(Name("tensors")),)
    if several:
        passed = tuple(map(Name, names))
    if left_out:
        present = Binary(Operator.IS_NOT, Name("it"), Name("None"))
        passed = tuple(map(Name, names))
        clause = Clause("it", together, (present,))
        together = Call(Name("tuple"), (Comprehension(Name("it"), (clause,)),))
    backward = operator.backward

    def made_with(tensor: str) -> tuple[Keyword, ...]:
        if not operator.needs_dtype:
            return ()
        first = Subscript(Name(tensor), Number("0")) if tensor in several else Name(tensor)
        return (Keyword("dtype", Attribute(first, "dtype")),)

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
        tensor_parameters=tuple(
            f"{name}: "
            + (
                "Tensor | None"
                if name in left_out
                else "Sequence[Tensor]"
                if name in several
                else "Tensor"
            )
            for name in names
        ),
        tensor_defaults=tuple(" = None" if name in left_out else "" for name in names),
        argument_parameters=tuple(f"{name}: {kind}" for name, kind in (*shape, *arguments)),
        keyword_parameters=("*", *keywords) if keywords else (),
        tensors=_assigned("tensors", together),
        shape="output_shape" if shape else "None",
        passed_shape=", output_shape=tuple(output_shape)" if shape else "",
        made=_assigned("operator", Call(cls, made, made_with(operator.output_like))),
        made_backward=_assigned("operator", Call(cls, made, made_with("grad_output"))),
        cached=_assigned(
            "operator", Call(Name("_operator"), (cls, *cached), made_with(operator.output_like))
        ),
        traced=tuple(
            with_value(f"{INDENT}{INDENT}return ", Call(definition, (*passed, *given)), 2)
        ),
        forward_forms=_forms(*kernels[operator.forward.name]),
        # torch takes no derivative of an operator that changes its arguments.
        backward_forms=_forms(*kernels[backward.name])
        if backward is not None and not operator.updated
        else (),
    )


def _assigned(name: str, value: Expression) -> tuple[str, ...]:
    """The lines of an assignment in a function."""
    before = f"{INDENT}{name} = "
    if isinstance(value, Tuple):
        return tuple(print_expression(value, before=before, behind="", level=1))
    return tuple(with_value(before, value, 1))


def _forms(kernel: LoweredKernel, launches: EmittedPlan | None) -> tuple[str, ...]:
    """The kernel, that with 64-bit offsets, and those in its place, by the names that torch looks for."""
    kernels = (kernel, *(() if launches is None else launches.stages))
    forms = (form for it in kernels for form in (it.function, it.own_form))
    return tuple(it.name for it in forms if it is not None)


def _facts(operator: plan.Operator) -> list[str]:
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
    if operator.count is not None:
        lines.append("_is_variadic = True")
    if operator.optional:
        lines.append(f"_optional = {operator.optional}")
    if operator.saves_output:
        lines.append("_saves_output = True")
    if operator.zeroes_output:
        lines.append("_zeroes_output = True")
    like = (*operator.inputs, *operator.parameters).index(operator.output_like)
    if like:
        lines.append(f"_output_like = {like}")
    if operator.output_dtype is not None:
        lines.append(f"_output_dtype = _DTYPES[{quoted(operator.output_dtype.value)}]")
    return lines
