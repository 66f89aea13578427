"""The operator of a pair of kernels: what an `impl RuntimeOp` would say, as far as the kernels tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.host.counterparts import Correspondence, kind_of, stem_of
from transpiler.host.plan import GRID, Argument, Operator
from transpiler.host.struct_names import struct_name
from transpiler.ir.types import DType, Pointer
from transpiler.target.model import (
    Assignment,
    Attribute,
    Call,
    Function,
    List,
    Name,
    Number,
    Parameter,
    Return,
    Subscript,
    Suite,
    Tuple,
)
from transpiler.target.names import HOST_NAMES, MODULE_NAMES, python_name

if TYPE_CHECKING:
    from transpiler.host.plan import Pair
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.target.model import Expression

_METHODS = frozenset(
    {
        *("backward_grid", "backward_kernel", "forward_kernel", "grid", "has_backward"),
        *("backward_grid_for_launch", "grid_for_launch", "n_backward_launches", "n_launches"),
        *("pack_args", "pack_args_for_launch", "pack_backward_args", "param_shapes"),
        *("backward_grad_output_row_stride", "pack_backward_args_for_launch"),
        *("forward_output_row_elems", "forward_output_row_stride"),
    }
)
_PARAMETERS = frozenset(
    {
        *("backward_programs", "dtype", "grad_output", "output_shape", "programs"),
        *("saved", "self", "shapes", "tensors", "tuple"),
    }
)
_SELF = Name("self")


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """What the caller of a pair need not say: where kernels go to the same places, shapes and grids are the same."""

    has_shape_of_input: bool
    has_grid_of_forward: bool


def pair_operator(
    pair: Pair,
    plans: tuple[KernelPlan, KernelPlan],
    found: Correspondence,
    freedom: Freedom,
    names: tuple[str, str],
    taken: frozenset[str],
) -> Operator:
    """The operator; `names` are those of its class and of itself, `taken` those that stand for something else."""
    forward = pair.forward
    naming = _Naming(taken)
    tensors = {symbol: naming.name(symbol) for symbol in found.inputs}
    constants = {it: naming.name(it, it.name.lower()) for it in forward.const_generics}
    scalars = {symbol: naming.name(symbol) for symbol in found.scalars}
    arguments = [
        Argument(name=name, annotation=kind_of(symbol))
        for symbol, name in (constants | scalars).items()
    ]
    arguments.append(Argument(name="grid", annotation=GRID))
    if not freedom.has_grid_of_forward:
        arguments.append(Argument(name="backward_grid", annotation=GRID))
    used = {it.symbol for it in found.backward if not it.is_gradient}
    facts = plans[0].facts
    concrete = found.output.type.dtype if isinstance(found.output.type, Pointer) else None
    return Operator(
        span=forward.name_span,
        struct_name=names[0],
        name=names[1],
        docs=_docs(pair, freedom),
        is_launcher=False,
        arguments=tuple(arguments),
        needs_dtype=False,
        methods=_methods(pair, found, freedom, constants, scalars),
        forward=forward,
        backward=pair.backward,
        inputs=tuple(tensors.values()),
        parameters=(),
        updated=(),
        gradients=tuple(
            name
            for symbol, name in tensors.items()
            if any(it.is_gradient and it.symbol is symbol for it in found.backward)
        ),
        saved=tuple(name for symbol, name in tensors.items() if symbol in used),
        saves_output=found.output in used,
        zeroes_output=found.output.name in facts.atomics,
        output_dtype=concrete if isinstance(concrete, DType) else None,
        output_like=tensors[found.inputs[found.output_like]],
        takes_output_shape=not freedom.has_shape_of_input,
    )


class _Naming:
    """Gives the parameters of an operator names, each its own."""

    def __init__(self, taken: frozenset[str]) -> None:
        self._taken = {*taken, *HOST_NAMES, *MODULE_NAMES, *_METHODS, *_PARAMETERS}

    def name(self, symbol: Symbol, rust: str | None = None) -> str:
        name = python_name(rust or stem_of(symbol), self._taken, frozenset())
        self._taken.add(name)
        return name


def _docs(pair: Pair, freedom: Freedom) -> tuple[str, ...]:
    own = (*pair.forward.docs, "") if pair.forward.docs else ()
    where = "`grid` too" if freedom.has_grid_of_forward else "`backward_grid`"
    return (
        *own,
        f"Launches `{pair.forward.name}` on `grid`.",
        f"The gradients are those of `{pair.backward.name}`, on {where}.",
    )


def _methods(
    pair: Pair,
    found: Correspondence,
    freedom: Freedom,
    constants: dict[Symbol, str],
    scalars: dict[Symbol, str],
) -> tuple[Function, ...]:
    fields = [(name, name) for name in (*constants.values(), *scalars.values())]
    fields.append(("programs", "grid"))
    if not freedom.has_grid_of_forward:
        fields.append(("backward_programs", "backward_grid"))
    kernel_constants = tuple(_own(name) for name in constants.values())
    packed = "inputs params output output_shape"
    places = {symbol: Number(str(place)) for place, symbol in enumerate(found.inputs)}
    numbers = {symbol: _own(name) for symbol, name in scalars.items()}

    def value(symbol: Symbol, *, is_gradient: bool = False) -> Expression:
        if symbol is found.output:
            return Name("grad_output" if is_gradient else "output")
        if symbol in numbers:
            return numbers[symbol]
        return Subscript(Name("grad_inputs" if is_gradient else "inputs"), places[symbol])

    forward_arguments = [value(symbol) for symbol in pair.forward.parameters]
    backward_arguments = [value(it.symbol, is_gradient=it.is_gradient) for it in found.backward]
    back = "programs" if freedom.has_grid_of_forward else "backward_programs"
    return (
        Function(
            name="__init__",
            parameters=tuple(Parameter(name=it) for it in ("self", *(name for _, name in fields))),
            docs=(),
            body=Suite(
                statements=tuple(
                    Assignment(targets=(f"self.{field}",), value=Name(name))
                    for field, name in fields
                )
            ),
        ),
        _method("forward_kernel", "", _launcher(pair.forward.name, kernel_constants)),
        _method("backward_kernel", "", _launcher(pair.backward.name, kernel_constants)),
        _method("param_shapes", "input_shapes output_shape", List(())),
        _method("pack_args", f"{packed} output_row_stride", Tuple(tuple(forward_arguments))),
        _method("grid", "output_shape", _own("programs")),
        _method("has_backward", "", Name("True")),
        _method(
            "pack_backward_args",
            f"{packed} grad_output grad_output_row_stride grad_inputs grad_params",
            Tuple(tuple(backward_arguments)),
        ),
        _method("backward_grid", "input_shapes output_shape", _own(back)),
    )


def _method(name: str, parameters: str, value: Expression) -> Function:
    return Function(
        name=name,
        parameters=tuple(Parameter(name=it) for it in ("self", *parameters.split())),
        docs=(),
        body=Suite(statements=(Return(value=value),)),
    )


def _own(name: str) -> Attribute:
    return Attribute(_SELF, name)


def _launcher(kernel: str, constants: tuple[Expression, ...]) -> Call:
    return Call(Name(struct_name(kernel)), constants)
