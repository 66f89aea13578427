"""Which kernels can be compared with themselves, and with which block sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.arguments import torch_dtypes
from transpiler.harness.operators import assignments, launches, offered
from transpiler.harness.outcomes import ComparisonKey
from transpiler.harness.runs import usual_dtypes
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from transpiler.harness.operators import Launches, Operator
    from transpiler.harness.programs import LaunchedKernel, Program
    from transpiler.harness.runs import Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A kernel, in the hands of an operator, with dtypes for the dtype parameters of the kernel `forward`.

    `backward` is the kernel of the operator's gradients where that is the one to compare. `least` are the smallest
    block sizes.
    """

    operator: Operator
    forward: LaunchedKernel
    backward: LaunchedKernel | None
    dtypes: tuple[DType, ...]
    least: tuple[tuple[str, int], ...]

    @property
    def wide(self) -> tuple[DType, ...] | None:
        """The dtypes with float64 for each float, where the kernels are offered for these."""
        if not any(dtype.is_float for dtype in self.dtypes):
            return None
        wide = tuple(DType.F64 if dtype.is_float else dtype for dtype in self.dtypes)
        kernels = [self.forward, *([self.backward] if self.backward else [])]
        is_offered = all(not it.dtype_parameters or wide in it.offered for it in kernels)
        return wide if is_offered else None

    @property
    def tells_apart(self) -> tuple[str, bool, tuple[DType, ...]]:
        """What makes it another one than others of its module."""
        return self.operator.name, self.backward is not None, self.dtypes


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A subject with other block sizes than its least."""

    key: ComparisonKey
    subject: Subject


def comparisons_of(
    program: Program, module: ModuleType, names: Sequence[str], wanted: Filter
) -> tuple[tuple[Comparison, ...], tuple[tuple[str, str], ...]]:
    """The comparisons of the kernels of these names that are wanted, and why there is none of the other kernels."""
    kernels = {kernel.name: kernel for kernel in program.kernels}
    found: dict[str, list[Comparison]] = {name: [] for name in names}
    reasons: dict[str, str] = {}
    unusable: list[str] = []
    for operator in offered(module):
        try:
            launched = launches(operator, kernels, torch_dtypes()[DType.F32])
        except Exception as error:  # noqa: BLE001 - what refuses arguments raises anything
            unusable.append(f"`{operator.name}` takes other arguments: {error}")
            continue
        for name in (launched.forward, launched.backward):
            if name not in found:
                continue
            if operator.unknown:
                reasons[name] = f"`{operator.name}` leaves `{operator.unknown[0]}` to its caller"
            elif not launched.blocks:
                reasons[name] = f"`{operator.name}` takes no block size"
            else:
                found[name] += _comparisons(program, operator, launched, kernels, name)
    absent = "; ".join(["no operator launches it", *unusable])
    comparisons = tuple(comparison for several in found.values() for comparison in several)
    return (
        tuple(it for it in comparisons if wanted.admits(it.key)),
        tuple((name, reasons.get(name, absent)) for name in names if not found[name]),
    )


def _comparisons(
    program: Program,
    operator: Operator,
    launched: Launches,
    kernels: Mapping[str, LaunchedKernel],
    name: str,
) -> Iterator[Comparison]:
    forward = kernels[launched.forward]
    backward = kernels[name] if name != launched.forward else None
    least, *others = [tuple(it.items()) for it in assignments(launched.blocks)]
    for dtypes in usual_dtypes(forward):
        if backward is not None and backward.dtype_parameters and dtypes not in backward.offered:
            continue
        subject = Subject(
            operator=operator, forward=forward, backward=backward, dtypes=dtypes, least=least
        )
        for blocks in others:
            parts = [
                *dict.fromkeys(dtype.value for dtype in dtypes),
                *(f"{argument}={value}" for argument, value in blocks),
            ]
            key = ComparisonKey(
                file=program.name,
                id=f"{name}[{operator.name}-{'-'.join(parts)}]",
                kernel=name,
                name=operator.name,
                dtypes=tuple(
                    (parameter, dtype.value)
                    for parameter, dtype in zip(forward.dtype_parameters, dtypes, strict=True)
                ),
                constants=blocks,
                shape=(),
                reference=least,
            )
            yield Comparison(key=key, subject=subject)
