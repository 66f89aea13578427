"""From the cases of a file to its runs: every combination of shape, dtypes and constants, with an id each."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from transpiler.frozen import dataclass
from transpiler.harness.cases import CaseError
from transpiler.harness.outcomes import RunKey
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.harness.cases import Case, Value
    from transpiler.harness.programs import LaunchedKernel, Program

_Given = TypeVar("_Given")

_DTYPES = {dtype.value: dtype for dtype in DType}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One launch of a case's kernel."""

    key: RunKey
    case: Case
    kernel: LaunchedKernel
    dtypes: tuple[DType, ...]
    constants: Mapping[str, int | bool]
    shape: Mapping[str, Value]

    @property
    def seed(self) -> int:
        """A seed of its own for each run, the same whenever and wherever it is launched."""
        return zlib.crc32(self.key.id.encode())

    def dtype(self, given: DType | str) -> DType:
        """The dtype of an argument: its own, or what its parameter is in this run."""
        if isinstance(given, DType):
            return given
        return self.dtypes[self.kernel.dtype_parameters.index(given)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which runs are wanted: dtypes by name, and texts that all have to be in the id; empty for all."""

    dtypes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def admits(self, key: RunKey) -> bool:
        """Whether a run is wanted."""
        if self.dtypes and not any(dtype in self.dtypes for _, dtype in key.dtypes):
            return False
        return all(text in key.id for text in self.texts)


def runs_of(
    program: Program, cases: Iterable[Case], wanted: Filter
) -> tuple[tuple[Run, ...], tuple[str, ...], frozenset[str]]:
    """The runs that are wanted, what is wrong with the cases, and the kernels that have a case."""
    kernels = {kernel.name: kernel for kernel in program.kernels}
    runs: dict[str, Run] = {}
    faults: list[str] = []
    cased: set[str] = set()
    for case in cases:
        if case.kernel not in kernels:
            faults.append(_unknown(program, case.kernel))
            continue
        cased.add(case.kernel)
        if not program.is_wanted(case.kernel):
            continue
        try:
            for run in _runs(program, case, kernels[case.kernel]):
                if wanted.admits(run.key):
                    runs.setdefault(run.key.id, run)
        except CaseError as error:
            faults.append(f"{program.cases}: case of `{case.kernel}`: {error}")
    return tuple(runs.values()), tuple(faults), frozenset(cased)


def _runs(program: Program, case: Case, kernel: LaunchedKernel) -> Iterator[Run]:
    choices = product(case.shapes, _dtypes(case, kernel), _constants(case, kernel))
    for shape, dtypes, constants in choices:
        named = tuple(
            (name, dtype.value) for name, dtype in zip(kernel.dtype_parameters, dtypes, strict=True)
        )
        parts = [
            *([case.name] if case.name else []),
            *dict.fromkeys(dtype for _, dtype in named),
            *(f"{name}={value}" for name, value in (*constants.items(), *shape.items())),
        ]
        key = RunKey(
            file=program.name,
            id=f"{kernel.name}[{'-'.join(parts)}]",
            kernel=kernel.name,
            name=case.name,
            dtypes=named,
            constants=tuple(constants.items()),
            shape=tuple(shape.items()),
        )
        yield Run(
            key=key, case=case, kernel=kernel, dtypes=dtypes, constants=constants, shape=shape
        )


def usual_dtypes(kernel: LaunchedKernel) -> Sequence[tuple[DType, ...]]:
    """The combinations of dtypes to run where nobody says which."""
    floats = [each for each in kernel.offered if all(dtype.is_float for dtype in each)]
    alike = [each for each in floats or kernel.offered if len(set(each)) == 1]
    return alike or floats or kernel.offered


def _dtypes(case: Case, kernel: LaunchedKernel) -> Iterator[tuple[DType, ...]]:
    """The combinations of dtypes to run; one empty one for a kernel without dtype parameters."""
    if not kernel.dtype_parameters:
        if case.dtypes is not None:
            raise CaseError("`dtypes` is given, and the kernel has no dtype parameter")
        yield ()
        return
    if case.dtypes is None:
        yield from usual_dtypes(kernel)
        return
    for given in [case.dtypes] if isinstance(case.dtypes, str | Mapping) else case.dtypes:
        names = (
            [given] * len(kernel.dtype_parameters)
            if isinstance(given, str)
            else _of_each(given, kernel.dtype_parameters, "dtype parameter")
        )
        for name in names:
            if name not in _DTYPES:
                raise CaseError(f"no dtype is called {name!r}; there are {', '.join(_DTYPES)}")
        dtypes = tuple(_DTYPES[name] for name in names)
        if dtypes not in kernel.offered:
            raise CaseError(f"the kernel is not offered for {', '.join(names)}")
        yield dtypes


def _constants(case: Case, kernel: LaunchedKernel) -> Iterator[Mapping[str, int | bool]]:
    """The combinations of constants to run; one empty one for a kernel without const generics."""
    if case.constants is None:
        if not kernel.constants:
            yield {}
            return
        known = dict.fromkeys(each.constants for each in kernel.instances)
        if not known:
            raise CaseError(
                f"`constants` has to give values of {', '.join(kernel.constants)}: "
                "there is no specialisation to take them from"
            )
        for values in known:
            yield dict(zip(kernel.constants, values, strict=True))
        return
    several = [case.constants] if isinstance(case.constants, Mapping) else case.constants
    for given in several:
        lists = [
            list(value) if isinstance(value, Sequence) else [value]
            for value in _of_each(given, kernel.constants, "const generic")
        ]
        for chosen in product(*lists):
            yield {
                name: value if isinstance(value, bool) else int(value)
                for name, value in zip(kernel.constants, chosen, strict=True)
            }


def _of_each(given: Mapping[str, _Given], names: Sequence[str], what: str) -> list[_Given]:
    """The values for all names, in their order, and for nothing else."""
    if missing := [name for name in names if name not in given]:
        raise CaseError(f"there is no value for the {what} `{missing[0]}`")
    if unknown := [name for name in given if name not in names]:
        raise CaseError(
            f"the kernel has no {what} `{unknown[0]}`; it has {', '.join(names) or 'none'}"
        )
    return [given[name] for name in names]


def _unknown(program: Program, name: str) -> str:
    near = get_close_matches(name, program.known, n=1, cutoff=0.5)
    advice = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(program.known)}"
    return f"{program.cases}: `{program.name}` has no kernel `{name}`; {advice}"
