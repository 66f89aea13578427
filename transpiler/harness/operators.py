"""The operators that a generated module offers: what they take, and which of that are block sizes.

All of it is read off the live module: its classes on `RuntimeOp`, and the functions that apply them.
"""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from transpiler.frozen import dataclass
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FunctionType, ModuleType

    import torch

    from transpiler.harness.programs import LaunchedKernel

    Value = int | float | bool | None

_PROBES = ((128, 256), (16, 32))
"""Two block sizes each: an argument is one if a kernel's changes with it. Some operators assert large or small ones."""


class Launcher(Protocol):
    """A kernel with its constants."""

    name: str
    id: str


class RuntimeOp(Protocol):
    """An operator of a module, made with its arguments."""

    def forward_kernel(self) -> Launcher:
        """The kernel that it launches."""

    def backward_kernel(self) -> Launcher:
        """The kernel of its gradients, where it has any."""

    def param_shapes(
        self, input_shapes: Sequence[Sequence[int]], output_shape: Sequence[int]
    ) -> Sequence[Sequence[int]]:
        """The shapes of its parameters."""

    def __call__(self, *tensors: torch.Tensor, output_shape: Sequence[int] | None) -> torch.Tensor:
        """Its output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator that a module offers.

    Attributes:
        name: of its class.
        make: the class.
        arguments: those of its constructor with the words of their types.
        takes_dtype: whether the constructor takes the dtype of the tensors as well.
        takes_output_shape: whether it has to be told the shape of its output.
        inputs: the names of the tensors that it takes, and of the buffers of parameters behind them.
        parameters: the names of these.
        updated: which of them it writes to.
        gradients: which of them have a gradient.
    """

    name: str
    make: type
    arguments: Mapping[str, str]
    takes_dtype: bool
    takes_output_shape: bool
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    updated: tuple[str, ...]
    gradients: tuple[str, ...]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The arguments of which nothing is known but their types, such as a grid that the caller has to give."""
        return tuple(
            name
            for name, kind in self.arguments.items()
            if kind not in ("int", "float", "bool") and not kind.endswith("| None")
        )

    def made(self, arguments: Mapping[str, Value], dtype: torch.dtype) -> RuntimeOp:
        """The operator with these arguments."""
        extra = {"dtype": dtype} if self.takes_dtype else {}
        made: RuntimeOp = self.make(**arguments, **extra)
        return made


def offered(module: ModuleType) -> tuple[Operator, ...]:
    """The operators of a module, in its order."""
    base = getattr(module, "RuntimeOp", None)
    if not isinstance(base, type):
        return ()
    functions = [it for it in vars(module).values() if inspect.isfunction(it)]
    return tuple(
        _operator(it, functions)
        for it in vars(module).values()
        if isinstance(it, type) and issubclass(it, base) and it is not base
    )


def _operator(make: type, functions: Sequence[FunctionType]) -> Operator:
    inputs, parameters = _fact(make, "_inputs"), _fact(make, "_parameters")
    taken = list(inspect.signature(make).parameters)
    kinds: Mapping[str, inspect.Parameter] = {}
    for function in functions:
        known = inspect.signature(function).parameters
        # The function that applies an operator takes its tensors first, and names its class.
        if make.__name__ in function.__code__.co_names and tuple(known)[
            : len(inputs) + len(parameters)
        ] == (*inputs, *parameters):
            kinds = known
    return Operator(
        name=make.__name__,
        make=make,
        arguments={
            it: _words(kinds[it].annotation) if it in kinds else "int"
            for it in taken
            if it != "dtype"
        },
        takes_dtype="dtype" in taken,
        takes_output_shape="output_shape" in kinds,
        inputs=inputs,
        parameters=parameters,
        updated=_fact(make, "_updated"),
        gradients=_fact(make, "_gradients"),
    )


def _words(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _fact(make: type, name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(make, name)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Launches:
    """The kernels that an operator launches, and for each of its arguments that is a block size the values to try."""

    forward: str
    backward: str | None
    blocks: Mapping[str, tuple[int, ...]]


def launches(
    operator: Operator, kernels: Mapping[str, LaunchedKernel], dtype: torch.dtype
) -> Launches:
    """What an operator launches.

    Raises:
        Exception: whatever the operator raises where it cannot be made with these arguments.
    """
    for least, more in _PROBES[:-1]:
        with suppress(Exception):
            return _launches(operator, kernels, dtype, least, more)
    return _launches(operator, kernels, dtype, *_PROBES[-1])


def _launches(
    operator: Operator,
    kernels: Mapping[str, LaunchedKernel],
    dtype: torch.dtype,
    least: int,
    more: int,
) -> Launches:
    base = {
        name: least if "int" in kind else _plain(kind) for name, kind in operator.arguments.items()
    }
    op = operator.made(base, dtype)
    backward = op.backward_kernel().name if operator.gradients else None
    blocks: dict[str, tuple[int, ...]] = {}
    for name, kind in operator.arguments.items():
        if kind != "int":
            continue
        other = operator.made({**base, name: more}, dtype)
        changed = [*_changed(op.forward_kernel(), other.forward_kernel(), kernels)]
        if backward is not None:
            changed += _changed(op.backward_kernel(), other.backward_kernel(), kernels)
        if changed and all(constant in kernel.block_sizes for kernel, constant in changed):
            # What the first of them is specialised for.
            blocks[name] = _values(*changed[0])
    return Launches(forward=op.forward_kernel().name, backward=backward, blocks=blocks)


def _plain(kind: str) -> Value:
    return {"float": 0.5, "bool": True}.get(kind)


def _changed(
    one: Launcher, other: Launcher, kernels: Mapping[str, LaunchedKernel]
) -> Iterator[tuple[LaunchedKernel, str]]:
    """The const generics in which two launchers of a kernel differ."""
    kernel = kernels[one.name]
    pairs = zip(_constants(one), _constants(other), strict=True)
    for constant, (value, other_value) in zip(kernel.constants, pairs, strict=False):
        if value != other_value:
            yield kernel, constant


def _constants(launcher: Launcher) -> list[str]:
    """The constants of a launcher as its id has them, in the order of the Rust."""
    return launcher.id.removeprefix(launcher.name).split("__")[1:]


DECLARED = (16, 32, 64)
"""The block sizes to try where a kernel has no specialisation: products of matrices ask for 16 and more."""


def _values(kernel: LaunchedKernel, constant: str) -> tuple[int, ...]:
    """The values that a kernel is specialised for, the smallest first."""
    place = kernel.constants.index(constant)
    known = {int(it.constants[place]) for it in kernel.instances}
    return tuple(sorted(known)) if len(known) > 1 else DECLARED


def assignments(blocks: Mapping[str, tuple[int, ...]]) -> list[dict[str, int]]:
    """The block sizes to try, the smallest of each argument first; with several also such as differ from each other."""
    count = max(len(values) for values in blocks.values())
    turns = [0] if len(blocks) == 1 else [0, 1]
    found: dict[tuple[int, ...], None] = {}
    for turn in turns:
        for step in range(count):
            chosen = [
                values[(step + turn * place) % len(values)]
                for place, values in enumerate(blocks.values())
            ]
            found.setdefault(tuple(chosen))
    return [dict(zip(blocks, chosen, strict=True)) for chosen in found]


def dtype_of(name: str, kernel: LaunchedKernel, dtypes: Sequence[DType]) -> DType:
    """The dtype of an operator's tensor: that of the pointer of the name, or of the kernel's first dtype parameter."""
    for argument in kernel.arguments:
        if argument.is_pointer and name in (argument.name, argument.name.removesuffix("_ptr")):
            known = argument.dtype
            if isinstance(known, str):
                return dtypes[kernel.dtype_parameters.index(known)]
            return known
    return dtypes[0] if dtypes else DType.F32
