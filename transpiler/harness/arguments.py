"""The arguments of a run: what a case gives, in the kernel's dtypes, behind fences; and what the reference says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.cases import CaseError, call, parameter_name
from transpiler.harness.fences import Fenced, around, poisoned
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TypeAlias

    import torch

    from transpiler.harness.programs import Argument
    from transpiler.harness.runs import Run

    Tensors: TypeAlias = Mapping[str, torch.Tensor]

_INTEGERS = (DType.I8, DType.I16, DType.I32, DType.I64, DType.U8, DType.U16, DType.U32, DType.U64)


@cache
def torch_dtypes() -> Mapping[DType, torch.dtype]:
    """What torch calls each dtype."""
    import torch  # noqa: PLC0415 - an optional dependency of a second

    unsigned = {each: getattr(torch, each.value.replace("u", "uint")) for each in _INTEGERS[4:]}
    return {
        DType.BOOL: torch.bool,
        DType.I8: torch.int8,
        DType.I16: torch.int16,
        DType.I32: torch.int32,
        DType.I64: torch.int64,
        DType.F16: torch.float16,
        DType.BF16: torch.bfloat16,
        DType.F32: torch.float32,
        DType.F64: torch.float64,
        **unsigned,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a case gives for a run, as the kernel sees it: tensors in their dtypes, numbers rounded to theirs.

    `absent` are pointers that are null. `names` are the shape and the constants.
    """

    device: torch.device
    tensors: Tensors
    numbers: Mapping[str, int | float | bool]
    absent: frozenset[str]
    names: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The arguments in the order of the parameters; `fenced` are the tensors among them."""

    arguments: tuple[torch.Tensor | int | float | bool | None, ...]
    fenced: Mapping[str, Fenced]
    grid: tuple[int, ...]


@contextmanager
def _torch_for(seed: int, device: torch.device, dtype: torch.dtype) -> Iterator[None]:
    """Torch with its generators at `seed`, making tensors on `device`, floats of `dtype`; afterwards as it was."""
    import torch  # noqa: PLC0415 - an optional dependency of a second

    gpus = [] if device.type == "cpu" else [device]
    before = torch.get_default_dtype()
    with torch.random.fork_rng(gpus), device:
        torch.manual_seed(seed)
        torch.set_default_dtype(dtype)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def give(run: Run, device: torch.device, path: Path) -> Given:
    """The inputs of a run.

    Raises:
        CaseError: the case's `inputs` fails, or does not fit the kernel.
    """
    import torch  # noqa: PLC0415 - an optional dependency of a second

    names: dict[str, object] = {**run.shape, **run.constants}
    # On the CPU wherever the kernel runs, for the same numbers there.
    with _torch_for(run.seed, torch.device("cpu"), torch.float64):
        made = call(run.case.inputs, {**names, "dtype": _leading_dtype(run)}, "inputs", path)
    if not isinstance(made, Mapping):
        raise CaseError(f"`inputs` gives a {type(made).__name__}, not a mapping by name")
    known = [argument.name for argument in run.kernel.arguments]
    by_parameter = {}
    for name, value in made.items():
        parameter = parameter_name(name, known)
        if parameter is None:
            raise CaseError(
                f"`inputs` gives `{name}`; the kernel's parameters are {', '.join(known)}"
            )
        by_parameter[parameter] = value
    tensors: dict[str, torch.Tensor] = {}
    numbers: dict[str, int | float | bool] = {}
    absent: set[str] = set()
    for argument in run.kernel.arguments:
        name = argument.name
        if argument.is_pointer:
            if name not in by_parameter:
                continue
            value = by_parameter[name]
            if value is None:
                absent.add(name)
                continue
            dtype = torch_dtypes()[run.dtype(argument.dtype)]
            tensors[name] = torch.as_tensor(value).detach().to(device, dtype).contiguous()
        else:
            numbers[name] = _number(run, argument, by_parameter.get(name, run.shape.get(name)))
    return Given(
        device=device,
        tensors=tensors,
        numbers=numbers,
        absent=frozenset(absent),
        names=names,
    )


def _leading_dtype(run: Run) -> torch.dtype | None:
    """What `inputs` gets as `dtype`: that of the first dtype parameter."""
    return torch_dtypes()[run.dtypes[0]] if run.dtypes else None


def _number(run: Run, argument: Argument, value: object) -> int | float | bool:
    """A number as the kernel gets it: the nearest f32 where the parameter is one."""
    import torch  # noqa: PLC0415 - an optional dependency of a second

    name = argument.name
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    if value is None:
        raise CaseError(f"neither `inputs` nor the shape gives `{name}`")
    if not isinstance(value, int | float):
        raise CaseError(f"`{name}` is a number for the kernel, and `inputs` gives {value!r}")
    dtype = run.dtype(argument.dtype)
    if dtype is DType.BOOL:
        return bool(value)
    if dtype.is_float:
        return float(torch.tensor(value, dtype=torch_dtypes()[dtype]))
    if value != int(value):
        raise CaseError(f"`{name}` is an integer for the kernel, and `inputs` gives {value!r}")
    return int(value)


def refer(
    run: Run, given: Given, tensors: Tensors, path: Path, *, is_exact: bool
) -> dict[str, torch.Tensor]:
    """The outputs by the case's reference, from these tensors; what it makes itself is float64 if it is to be exact.

    Raises:
        CaseError: the reference fails, or gives something else than the outputs.
    """
    import torch  # noqa: PLC0415 - an optional dependency of a second

    names: dict[str, object] = {**given.names, **given.numbers}
    names |= dict.fromkeys(given.absent)
    own = {name: tensor.clone() for name, tensor in tensors.items()}
    made_of = torch.float64 if is_exact or DType.F64 in run.dtypes else torch.float32
    with _torch_for(run.seed, given.device, made_of):
        made = call(
            run.case.reference, {**names, **own}, "reference", path, unnamed=tuple(own.values())
        )
    checked = checked_outputs(run)
    if isinstance(made, torch.Tensor):
        made = (made,)
    if isinstance(made, Mapping):
        named: dict[str, object] = {}
        for name, value in made.items():
            parameter = parameter_name(name, run.kernel.written)
            if parameter is None:
                written = ", ".join(run.kernel.written)
                raise CaseError(f"`reference` gives `{name}`; the kernel writes {written}")
            named[parameter] = value
        if missing := [name for name in checked if name not in named]:
            raise CaseError(
                f"`reference` says nothing about `{missing[0]}`, which the kernel writes; "
                "name it in `unchecked` if its values do not matter"
            )
    elif isinstance(made, Sequence) and len(made) == len(checked):
        named = dict(zip(checked, made, strict=True))
    else:
        raise CaseError(
            f"`reference` gives {_described(made)}; the kernel writes {', '.join(checked)}"
        )
    for name, value in named.items():
        if not isinstance(value, torch.Tensor):
            raise CaseError(
                f"`reference` gives a {type(value).__name__} for `{name}`, not a tensor"
            )
    return {
        name: value.detach() for name, value in named.items() if isinstance(value, torch.Tensor)
    }


def checked_outputs(run: Run) -> tuple[str, ...]:
    """The outputs whose values matter, in the order of the parameters."""
    skipped = {parameter_name(name, run.kernel.written) for name in run.case.unchecked}
    names = (argument.name for argument in run.kernel.arguments)
    return tuple(name for name in names if name in run.kernel.written and name not in skipped)


def _described(made: object) -> str:
    if isinstance(made, Sequence) and not isinstance(made, str):
        return f"{len(made)} results"
    return f"a {type(made).__name__}"


def prepare(run: Run, given: Given, expected: Tensors, path: Path) -> Prepared:
    """Put everything behind fences; what is only written has the shape that the reference gives.

    Raises:
        CaseError: a tensor is missing, or the grid is none.
    """
    reach = max((int(value) for value in run.constants.values()), default=1)
    fenced: dict[str, Fenced] = {}
    arguments: list[torch.Tensor | int | float | bool | None] = []
    for argument in run.kernel.arguments:
        name = argument.name
        if not argument.is_pointer:
            arguments.append(given.numbers[name])
            continue
        if name in given.absent:
            arguments.append(None)
            continue
        if name in given.tensors:
            values = given.tensors[name]
            if name in expected and expected[name].numel() != values.numel():
                raise CaseError(
                    f"`{name}` has the shape {tuple(values.shape)} in `inputs`, and "
                    f"{tuple(expected[name].shape)} in what `reference` gives"
                )
            fenced[name] = around(values, reach=reach, is_written=name in run.kernel.written)
        elif name in expected:
            fenced[name] = poisoned(
                tuple(expected[name].shape),
                torch_dtypes()[run.dtype(argument.dtype)],
                expected[name].device,
                reach=reach,
            )
        else:
            raise CaseError(f"`inputs` does not give `{name}`")
        arguments.append(fenced[name].tensor)
    return Prepared(arguments=tuple(arguments), fenced=fenced, grid=_grid(run, given, path))


def terms(run: Run, given: Given, path: Path) -> float | None:
    """Of how many terms the case says an element of an output is the sum; None where it says nothing."""
    stated = run.case.terms
    if callable(stated):
        stated = call(stated, {**given.names, **given.numbers}, "terms", path)
    return None if stated is None else max(1.0, float(stated))


def _grid(run: Run, given: Given, path: Path) -> tuple[int, ...]:
    grid: object = run.case.grid
    if callable(grid):
        grid = call(grid, {**given.names, **given.numbers}, "grid", path)
    given_extents = grid if isinstance(grid, Sequence) else [grid]
    extents = tuple(each for each in given_extents if isinstance(each, int))
    if not 1 <= len(extents) <= 3 or len(extents) != len(given_extents):
        raise CaseError(f"`grid` is {grid!r}, not one to three integers")
    return extents
