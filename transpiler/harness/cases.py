"""What a file of cases says, and how it is read.

`<stem>_cases.py` beside `<stem>.rs` is plain Python. It defines `CASES`, or a function `cases()`, that gives cases:
`Case` objects, or mappings with the same keys, so that the file need not import anything of ours.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter, signature
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from pathlib import Path

Value: TypeAlias = int | float | bool
_Result = TypeVar("_Result")

_SUFFIX = "_cases"
_POINTER = "_ptr"


class CaseError(Exception):
    """A case, or a file of them, that cannot be used; the text says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is to come out of a kernel, for every combination of the shapes, dtypes and constants it lists.

    The functions get what they ask for by the names of their parameters. A tensor goes by the name of the kernel's
    parameter, `x_ptr`, or by that name without `_ptr`.

    Attributes:
        kernel: its name in Rust.
        inputs: from the names in `shapes`, the constants, and `dtype` (torch's, of the run), the arguments: tensors,
            and numbers for what is not a pointer. Random numbers come from torch's generator, which is seeded for
            each run, and are drawn in float64 on the CPU; tensors are moved and converted for the kernel. Numbers
            that `shapes` has under the name of a parameter may be left out, and so may tensors that are only
            written. Those that are read and written, or added to, are given as they are before the launch.
        reference: from the arguments, the outputs, in plain torch: a mapping by name, or what the kernel writes in the
            order of its parameters. It is called with float64 tensors for what is right, and with the kernel's own
            for the error that torch makes itself. NaN is for what the kernel leaves alone. An operator of torch's,
            such as `torch.add`, gets the tensors in their order.
        grid: the launch grid, or a function of numbers and constants that gives it.
        shapes: extents by name, a mapping a shape; any other number may be among them.
        dtypes: names of dtypes, or mappings from dtype parameters to names. None: the float dtypes the kernel is
            offered for, or all where there are none.
        constants: for each const generic a value or several, of which every combination is run; or a sequence of such
            mappings. None: those of the kernel's specialisations.
        tolerance: the largest error in place of the default, one number or one for each dtype, relative as documented.
        terms: of how many terms an element of an output is the sum; a number or a function. None: inputs over outputs.
        unchecked: parameters that are written, and whose values do not matter; `inputs` gives them.
        name: distinguishes several cases of a kernel.
    """

    kernel: str
    inputs: Callable[..., Mapping[str, object]]
    reference: Callable[..., object]
    grid: Callable[..., Sequence[int] | int] | Sequence[int] | int
    shapes: Sequence[Mapping[str, Value]] = ({},)
    dtypes: Sequence[str | Mapping[str, str]] | str | None = None
    constants: Mapping[str, Value | Sequence[Value]] | Sequence[Mapping[str, Value]] | None = None
    tolerance: float | Mapping[str, float] | None = None
    terms: Callable[..., int] | int | None = None
    unchecked: Sequence[str] = ()
    name: str = ""


_KEYS = tuple(field.name for field in fields(Case))
_REQUIRED = ("kernel", "inputs", "reference", "grid")


def cases_path(rust: Path) -> Path:
    """Where the cases of a Rust file are."""
    return rust.with_name(f"{rust.stem}{_SUFFIX}.py")


def load_cases(path: Path) -> list[Case]:
    """The cases in a file.

    Raises:
        CaseError: it cannot be read or executed, or holds something else.
    """
    module = _executed(path)
    given = getattr(module, "CASES", None)
    if given is None:
        make = getattr(module, "cases", None)
        if not callable(make):
            raise CaseError(f"{path}: defines neither `CASES` nor a function `cases()`")
        # A generator's body runs while it is walked.
        given = guarded(lambda: list(make()), path)
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        raise CaseError(f"{path}: `CASES` is a {type(given).__name__}, not a list of cases")
    found = [_case(each, f"{path}: case {place}") for place, each in enumerate(given, 1)]
    if not found:
        raise CaseError(f"{path}: has no case in it")
    return found


def _executed(path: Path) -> ModuleType:
    """The file as a module; it may import what stands beside it."""
    name = f"_teeny_transpile_cases_{abs(hash(str(path)))}"
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: {error}") from None
    # Not through an import: that would leave a folder of bytecode beside the Rust.
    try:
        code = compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise CaseError(_told(error, path)) from None
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        guarded(lambda: exec(code, module.__dict__), path)  # noqa: S102 - the user's own file
    finally:
        sys.path.remove(str(path.parent))
    return module


def _case(given: object, where: str) -> Case:
    if isinstance(given, Case):
        case = given
    elif isinstance(given, Mapping):
        if unknown := [str(key) for key in given if key not in _KEYS]:
            raise CaseError(
                f"{where}: no key is called {unknown[0]!r}; there are {', '.join(_KEYS)}"
            )
        if missing := [key for key in _REQUIRED if key not in given]:
            raise CaseError(f"{where}: `{missing[0]}` is missing")
        case = Case(**given)
    else:
        raise CaseError(f"{where}: is a {type(given).__name__}, neither a Case nor a mapping")
    for key in ("inputs", "reference"):
        if not callable(getattr(case, key)):
            raise CaseError(f"{where}: `{key}` is not a function")
    for shape in case.shapes:
        if not isinstance(shape, Mapping):
            raise CaseError(f"{where}: `shapes` holds {shape!r}, not a mapping of names to numbers")
    return case


def guarded(action: Callable[[], _Result], path: Path) -> _Result:
    """What the user's code gives.

    Raises:
        CaseError: it raised something, which is told with its place in the file at `path`.
    """
    try:
        return action()
    except CaseError:
        raise
    except (Exception, SystemExit) as error:
        # Whatever a file of the user does, the others are still to be run.
        raise CaseError(_told(error, path)) from error


def _told(error: BaseException, path: Path) -> str:
    """An error with the innermost place in the file at `path`, and the line there."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line, text, message = error.lineno, error.text or "", error.msg
    else:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if frame.filename == str(path)]
        line, text = (inside[-1].lineno, inside[-1].line or "") if inside else (None, "")
        message = str(error)
    place = str(path) if line is None else f"{path}:{line}"
    kind = type(error).__name__
    shown = f"{place}: {kind}: {message}" if message else f"{place}: {kind}"
    return f"{shown}\n    {text.strip()}" if text.strip() else shown


def call(
    function: Callable[..., _Result],
    names: Mapping[str, object],
    what: str,
    path: Path,
    *,
    unnamed: Sequence[object] = (),
) -> _Result:
    """The result of a function of the user's, which gets what its parameters name.

    One of torch's own that does not tell the names of its parameters gets what is `unnamed`.

    Raises:
        CaseError: it asks for what is not there, or raises something.
    """
    known = {name.removesuffix(_POINTER): value for name, value in names.items()} | dict(names)
    try:
        parameters = signature(function).parameters
    except ValueError:
        return guarded(lambda: function(*unnamed), path)
    given: dict[str, object] = {}
    positional: list[object] = []
    for name, parameter in parameters.items():
        match parameter.kind:
            case Parameter.VAR_KEYWORD:
                given = dict(names) | given
            case Parameter.VAR_POSITIONAL:
                continue
            case _ if name in known:
                if parameter.kind is Parameter.POSITIONAL_ONLY:
                    positional.append(known[name])
                else:
                    given[name] = known[name]
            case _ if parameter.default is Parameter.empty:
                raise CaseError(
                    f"{path}: `{what}` asks for `{name}`; there are {', '.join(names) or 'no names'}"
                )
    return guarded(lambda: function(*positional, **given), path)


def parameter_name(name: str, parameters: Iterable[str]) -> str | None:
    """The kernel's parameter that a case calls `name`; None if there is none."""
    known = set(parameters)
    return next((each for each in (name, name + _POINTER) if each in known), None)
