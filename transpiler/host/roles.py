"""What the arguments of kernels say of an operator's tensors: names, dtypes, what is read, written and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.host.types import UnknownError
from transpiler.ir.types import DType, DtypeParameter, Pointer
from transpiler.target.names import python_name

if TYPE_CHECKING:
    from collections.abc import Container

    from transpiler.host.packing import Packed
    from transpiler.ir import nodes as ir
    from transpiler.ir.description import KernelPlan
    from transpiler.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """A kernel of an operator with what is packed for it."""

    plan: KernelPlan
    packed: Packed

    def named(self, role: str, place: int) -> list[str]:
        """The parameters that are given what has a role and a place, by their names in Rust."""
        return [it.name for it in self._given(role, place)]

    def _given(self, role: str, place: int) -> list[ir.Symbol]:
        return [
            parameter
            for index, parameter in enumerate(self.plan.kernel.parameters)
            if any(
                it.role == role and it.place in {place, None} for it in self.packed.origins(index)
            )
        ]

    def touches(self, role: str, place: int, names: Container[str]) -> bool:
        """Whether one of the parameters of these names may be given what has a role and a place."""
        return any(
            parameter.name in names
            and any(
                it.role == role and it.place in {place, None} for it in self.packed.origins(index)
            )
            for index, parameter in enumerate(self.plan.kernel.parameters)
        )

    def places(self, role: str) -> int:
        """One more than the last place that something of a role has."""
        return max(
            (
                1 + (it.place or 0)
                for index in range(len(self.plan.kernel.parameters))
                for it in self.packed.origins(index)
                if it.role == role
            ),
            default=0,
        )

    @property
    def all(self) -> frozenset[str]:
        """The names of all parameters."""
        return frozenset(it.name for it in self.plan.kernel.parameters)

    @property
    def written(self) -> frozenset[str]:
        """The names of the parameters behind which the kernel writes."""
        return frozenset((*self.plan.facts.writes, *self.plan.facts.atomics))

    def dtype_of(self, role: str, place: int) -> DType | DtypeParameter | None:
        """The dtype that the kernel takes something in."""
        for parameter in self._given(role, place):
            match parameter.type:
                case Pointer(dtype=DType() | DtypeParameter() as dtype):
                    return dtype
                case _:
                    pass
        return None

    def check(self, span: Span) -> None:
        """Check that it is known what the kernel writes to.

        Raises:
            UnknownError: it is not.
        """
        for index, parameter in enumerate(self.plan.kernel.parameters):
            if parameter.name in self.written and self.packed.is_unknown(index):
                raise UnknownError(
                    span,
                    f"it is not known what it packs for `{parameter.name}`,"
                    f" which `{self.plan.kernel.name}` writes to",
                    "pack the tensors that the method is given",
                )


def output_dtype(
    forward: Packing, inputs: tuple[str, ...], required: tuple[str, ...], span: Span
) -> tuple[DType | None, str]:
    """The dtype of the output where it is always the same, and otherwise the tensor that has it.

    `required` are the parameters that are always there, `span` what packs.

    Raises:
        UnknownError: there is no output, or no tensor has its dtype.
    """
    dtype = forward.dtype_of("output", 0)
    if dtype is None:
        raise UnknownError(span, "it packs no output", "pack the output")
    if not isinstance(dtype, DtypeParameter):
        return dtype, inputs[0]
    for role, names in (("inputs", inputs), ("params", required)):
        for place, name in enumerate(names):
            if forward.dtype_of(role, place) == dtype:
                return None, name
    raise UnknownError(
        span,
        f"its output has dtype `{dtype.name}`, which no input and no parameter has",
        "give one of them that dtype",
    )


def tensor_names(
    packing: Packing, inputs: int, parameters: tuple[str, ...], count: int, taken: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the inputs and of the parameters.

    Args:
        packing: that of the forward kernel, whose pointers give names.
        inputs: how many inputs there are.
        parameters: the names that the Rust gives parameters.
        count: how many parameters there are.
        taken: names that something else has.
    """
    names: dict[str, None] = {}

    def add(name: str) -> str:
        plain = name if name.isidentifier() else "tensor"
        found = python_name(plain, taken.union(names), frozenset())
        names[found] = None
        return found

    of_inputs = [add(_name(packing, "inputs", place, "x")) for place in range(inputs)]
    of_parameters = [
        add(
            parameters[place]
            if place < len(parameters)
            else _name(packing, "params", place, "parameter")
        )
        for place in range(count)
    ]
    return tuple(of_inputs), tuple(of_parameters)


def _name(packing: Packing, role: str, place: int, otherwise: str) -> str:
    """The name of a tensor: that of the pointer it is given to, or those of several."""
    given = packing.named(role, place)
    plain = [it.removesuffix("ptr").strip("_").lower() for it in given]
    return "_".join(dict.fromkeys(filter(None, plain))) or f"{otherwise}_{place}"
