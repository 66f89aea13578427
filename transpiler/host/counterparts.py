"""Which argument of a kernel each parameter of its backward kernel takes.

Nothing in the Rust says so but the names of the parameters and what the kernels do with their pointers:

* What the forward kernel writes and never reads is its output; what it reads is an input.
* A parameter of the name of one of the forward kernel's takes the same argument. `_ptr` at the end and underscores at
  the beginning do not count. The one output may be called `out` or `output` as well, an only input `in` or `input`.
* `dx`, `d_x`, `grad_x`, `g_x`, `x_grad` and `x_gradient` are the gradient of `x`. The backward kernel reads the
  gradient of the output, and writes those of inputs; `grad` and `gradient`, read, are that of the output.

Where that leaves a parameter with no meaning, or with several, the kernels are not paired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.types import DType, DtypeParameter, Pointer, Scalar, type_text
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.ir.types import ElementType
    from transpiler.source import Span

_GRADIENTS = ("d{}", "d_{}", "grad_{}", "g_{}", "{}_grad", "{}_gradient")
_GRADIENTS_OF_THE_OUTPUT = ("grad", "gradient")
_OUTPUTS = ("out", "output")
_INPUTS = ("in", "input")


class MismatchError(Exception):
    """Two kernels are no pair: `reason` says of what is at `span` why."""

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(reason)
        self.span = span
        self.reason = reason


class Counterpart(NamedTuple):
    """What a parameter of a backward kernel takes: an argument of the forward kernel, or the gradient of one."""

    symbol: Symbol
    is_gradient: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """The parts that the parameters of two kernels have.

    Attributes:
        inputs: the pointers of the forward kernel but the output.
        output: the pointer to what it computes.
        scalars: its other parameters.
        backward: for each parameter of the backward kernel what it takes.
        output_like: the place of the input whose dtype the output has, where its own is not concrete.
    """

    inputs: tuple[Symbol, ...]
    output: Symbol
    scalars: tuple[Symbol, ...]
    backward: tuple[Counterpart, ...]
    output_like: int


def stem_of(symbol: Symbol) -> str:
    """The name of a parameter without what tells its kind."""
    return symbol.name.removeprefix("r#").lstrip("_").removesuffix("_ptr")


def kind_of(symbol: Symbol) -> str:
    """The Python type of a number that is passed."""
    match symbol.type:
        case Scalar(dtype=DType.BOOL):
            return "bool"
        case Scalar(dtype=DType() as dtype) if dtype.is_integer:
            return "int"
        case Scalar(dtype=DType()):
            return "float"
        case _:
            raise MismatchError(
                symbol.span, f"`{symbol.name}` is a number whose type the dtypes decide"
            )


def correspondence(forward: KernelPlan, backward: KernelPlan) -> Correspondence:
    """How the parameters of a kernel and of its backward kernel belong together.

    Raises:
        MismatchError: that is not clear.
    """
    _check_generics(forward, backward)
    touched = frozenset((*forward.facts.writes, *forward.facts.atomics))
    inputs: list[Symbol] = []
    outputs: list[Symbol] = []
    scalars: list[Symbol] = []
    for symbol in forward.kernel.parameters:
        if not isinstance(symbol.type, Pointer):
            kind_of(symbol)
            scalars.append(symbol)
        elif symbol.name not in touched:
            inputs.append(symbol)
        elif symbol.name in forward.facts.reads:
            raise MismatchError(symbol.span, f"`{symbol.name}` is updated in place")
        else:
            outputs.append(symbol)
    if len(outputs) != 1 or not inputs:
        count = "no output" if not outputs else "no input" if not inputs else "several outputs"
        span = outputs[-1].span if outputs else forward.kernel.name_span
        raise MismatchError(span, f"`{forward.kernel.name}` has {count}")
    stems = [stem_of(symbol) for symbol in forward.kernel.parameters]
    for place, symbol in enumerate(forward.kernel.parameters):
        if stems.index(stems[place]) != place:
            raise MismatchError(symbol.span, f"`{stems[place]}` is the name of several parameters")
    names = _Names(tuple(inputs), outputs[0], tuple(scalars))
    return Correspondence(
        inputs=tuple(inputs),
        output=outputs[0],
        scalars=tuple(scalars),
        backward=_counterparts(names, forward, backward),
        output_like=_like(outputs[0], inputs),
    )


def _check_generics(forward: KernelPlan, backward: KernelPlan) -> None:
    """Hold the kernels to the same const generics, and to no dtype that only the caller knows."""
    constants, others = (
        [(it.name, it.type) for it in plan.kernel.const_generics] for plan in (forward, backward)
    )
    if constants != others:
        raise MismatchError(
            backward.kernel.name_span,
            f"`{backward.kernel.name}` has other const generics than `{forward.kernel.name}`",
        )
    for plan in (forward, backward):
        carried = {
            it.type.dtype.name
            for it in plan.kernel.parameters
            if isinstance(it.type, Pointer) and isinstance(it.type.dtype, DtypeParameter)
        }
        for parameter in plan.kernel.dtype_parameters:
            if parameter.name not in carried:
                raise MismatchError(
                    plan.kernel.name_span, f"no pointer carries the dtype `{parameter.name}`"
                )


def _like(output: Symbol, inputs: list[Symbol]) -> int:
    dtype = _dtype(output)
    if isinstance(dtype, DType):
        return 0
    place = next((place for place, it in enumerate(inputs) if _dtype(it) == dtype), None)
    if place is None:
        raise MismatchError(output.span, f"no input has the dtype of `{output.name}`")
    return place


def _dtype(symbol: Symbol) -> ElementType | None:
    return symbol.type.dtype if isinstance(symbol.type, Pointer) else None


class _Names:
    """What the parameters of a forward kernel may be called in its backward kernel."""

    def __init__(
        self, inputs: tuple[Symbol, ...], output: Symbol, scalars: tuple[Symbol, ...]
    ) -> None:
        self.output = output
        self.values: dict[str, Symbol] = {stem_of(it): it for it in (*inputs, output, *scalars)}
        for alias in _OUTPUTS:
            self.values.setdefault(alias, output)
        if len(inputs) == 1:
            for alias in _INPUTS:
                self.values.setdefault(alias, inputs[0])
        self.gradients: dict[str, set[Symbol]] = {it: {output} for it in _GRADIENTS_OF_THE_OUTPUT}
        for stem, symbol in self.values.items():
            if isinstance(symbol.type, Pointer) and not _is_whole(symbol):
                for form in _GRADIENTS:
                    self.gradients.setdefault(form.format(stem), set()).add(symbol)

    def candidates(self, stem: str) -> Iterator[Counterpart]:
        """What a name may mean."""
        if stem in self.values:
            yield Counterpart(self.values[stem], is_gradient=False)
        for symbol in self.gradients.get(stem, ()):
            yield Counterpart(symbol, is_gradient=True)


def _is_whole(symbol: Symbol) -> bool:
    """Whether it points to what has no derivative."""
    dtype = _dtype(symbol)
    return isinstance(dtype, DType) and not dtype.is_float


def _counterparts(
    names: _Names, forward: KernelPlan, backward: KernelPlan
) -> tuple[Counterpart, ...]:
    written = frozenset((*backward.facts.writes, *backward.facts.atomics))
    found: dict[Counterpart, Symbol] = {}
    kernel = forward.kernel.name
    for symbol in backward.kernel.parameters:
        is_written, is_read = symbol.name in written, symbol.name in backward.facts.reads
        possible = [
            it
            for it in names.candidates(stem_of(symbol))
            if isinstance(it.symbol.type, Pointer) == isinstance(symbol.type, Pointer)
            if not is_written or (it.is_gradient and it.symbol is not names.output)
            if is_written or not is_read or not it.is_gradient or it.symbol is names.output
        ]
        if len(possible) != 1:
            reason = (
                f"may be the gradient of several parameters of `{kernel}`"
                if possible
                else f"is written, and the gradient of no input of `{kernel}`"
                if is_written
                else f"is no parameter of `{kernel}`, nor the gradient of its output"
                if is_read
                else f"is no parameter of `{kernel}`"
            )
            raise MismatchError(symbol.span, f"`{symbol.name}` {reason}")
        _check_type(symbol, possible[0])
        if possible[0] in found:
            reason = f"`{found[possible[0]].name}` and `{symbol.name}` stand for the same"
            raise MismatchError(symbol.span, reason)
        found[possible[0]] = symbol
    if Counterpart(names.output, is_gradient=True) not in found:
        raise MismatchError(
            backward.kernel.name_span, f"no parameter is the gradient of `{names.output.name}`"
        )
    if all(it.symbol is names.output for it in found if it.is_gradient):
        raise MismatchError(
            backward.kernel.name_span,
            f"no parameter is the gradient of an input of `{kernel}`",
        )
    return tuple(found)


def _check_type(symbol: Symbol, counterpart: Counterpart) -> None:
    """Hold a parameter to the type of what it takes."""
    other = counterpart.symbol
    dtypes = _dtype(symbol), _dtype(other)
    if isinstance(symbol.type, Pointer):
        is_same = not all(isinstance(it, DType) for it in dtypes) or dtypes[0] == dtypes[1]
    else:
        is_same = kind_of(symbol) == kind_of(other)
    if not is_same:
        raise MismatchError(
            symbol.span,
            f"`{symbol.name}` has the type `{type_text(symbol.type)}`, and `{other.name}`"
            f" `{type_text(other.type)}`",
        )
