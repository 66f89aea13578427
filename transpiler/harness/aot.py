"""Compiling the specialisations of a generated module for a GPU that need not be there.

Triton and torch are imported inside functions: without them, everything but `compile_entry` works.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import TYPE_CHECKING

from transpiler.harness.refusals import Refusal, refusal_of
from transpiler.ir.types import DType, DtypeParameter, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transpiler.ir.description import KernelPlan, Specialisation
    from transpiler.ir.nodes import Kernel, Symbol

_NVIDIA = re.compile(r"sm_(\d{2,3})[af]?")
_AMD = re.compile(r"gfx[0-9a-f]{3,4}")

_TRITON_NAMES = {
    DType.BOOL: "i1",
    DType.F16: "fp16",
    DType.BF16: "bf16",
    DType.F32: "fp32",
    DType.F64: "fp64",
}

_INTERPRETER_VARIABLE = "TRITON_INTERPRET"

# What Triton does by default up to 3.9; said aloud, because 3.9 warns where it is not.
_OPTIONS = {"enable_fp_fusion": True}


class MissingDependencyError(Exception):
    """Triton, or what generated modules import beside it, is not installed."""


class CompilationError(Exception):
    """A specialisation was not compiled; `refusal` has Triton's reason, and where it applies."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class Stage(Enum):
    """How far to compile, by the name of what comes out for NVIDIA."""

    TTIR = "ttir"
    ASSEMBLY = "ptx"
    BINARY = "cubin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A GPU architecture: `architecture` is what Triton's backend calls it."""

    name: str
    backend: str
    architecture: int | str
    warp_size: int

    def artefact(self, stage: Stage) -> str:
        """What Triton calls the result of `stage`, also the suffix of its file."""
        if self.backend == "hip":
            return {Stage.ASSEMBLY: "amdgcn", Stage.BINARY: "hsaco"}.get(stage, stage.value)
        return stage.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What to compile: its name and the Triton types of its run-time parameters.

    A specialisation is the function of that name; another `function` is given its `constants`, in their order. `warps`
    are those of a launch, where Triton does not choose.
    """

    name: str
    signature: tuple[str, ...]
    function: str | None = None
    constants: tuple[int | bool, ...] = ()
    warps: int | None = None


def parse_target(name: str) -> Target:
    """The target called `name`: `sm_90`, `gfx942`.

    Raises:
        ValueError: it is written like no architecture.
    """
    if found := _NVIDIA.fullmatch(name):
        return Target(name=name, backend="cuda", architecture=int(found[1]), warp_size=32)
    if _AMD.fullmatch(name):
        # The compute line (gfx9) runs 64 lanes, the graphics lines after it 32.
        lanes = 64 if name.startswith("gfx9") else 32
        return Target(name=name, backend="hip", architecture=name, warp_size=lanes)
    raise ValueError(f"{name!r} is not written like sm_90 or gfx942")


def entries(plans: Iterable[KernelPlan]) -> tuple[Entry, ...]:
    """Every specialisation of the plans, in order."""
    return tuple(
        Entry(name=specialisation.name, signature=signature(plan.kernel, specialisation))
        for plan in plans
        for specialisation in plan.specialisations
    )


def signature(kernel: Kernel, specialisation: Specialisation) -> tuple[str, ...]:
    """The Triton types of the runtime parameters: `("*fp32", "i32", "fp32")`."""
    names = (parameter.name for parameter in kernel.dtype_parameters)
    dtypes = dict(zip(names, specialisation.dtypes, strict=True))
    return tuple(triton_type(parameter, dtypes) for parameter in kernel.parameters)


def triton_type(parameter: Symbol, dtypes: Mapping[str, DType]) -> str:
    """The Triton type of a run-time parameter where dtype parameters stand for these."""
    match parameter.type:
        case Pointer(dtype=element):
            star = "*"
        case Scalar(dtype=element):
            star = ""
        case _:
            raise TypeError(f"`{parameter.name}` is neither a pointer nor a scalar")
    match element:
        case DType():
            dtype = element
        case DtypeParameter():
            dtype = dtypes[element.name]
        case _:
            raise TypeError(f"the dtype of `{parameter.name}` is not settled")
    return star + _TRITON_NAMES.get(dtype, dtype.value)


@contextmanager
def loaded(text: str, name: str) -> Iterator[ModuleType]:
    """The generated module `text`, executed; it leaves the interpreter with the context.

    There is no file: Triton reads a kernel's source through `linecache`, and machine code names
    `name.py` as its source, so that equal text gives equal artefacts.

    Raises:
        MissingDependencyError: what the module imports is not installed.
    """
    filename = f"{name}.py"
    module = ModuleType(f"_compiled_ahead_{name}")
    module.__file__ = filename
    with _compiling_triton():
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        sys.modules[module.__name__] = module
        try:
            exec(compile(text, filename, "exec"), module.__dict__)  # noqa: S102 - our own text
            yield module
        except ModuleNotFoundError as error:
            raise MissingDependencyError(str(error)) from error
        finally:
            del sys.modules[module.__name__]
            del linecache.cache[filename]


@contextmanager
def _compiling_triton() -> Iterator[None]:
    """Triton with its interpreter off: with it, `@triton.jit` makes what cannot be compiled.

    The variable is read when Triton is imported, for the functions of its own language, and again
    at each `@triton.jit`.

    Raises:
        MissingDependencyError: Triton is not installed.
    """
    chosen = os.environ.pop(_INTERPRETER_VARIABLE, None)
    try:
        from triton import knobs  # noqa: PLC0415 - an optional dependency of several seconds
    except ImportError as error:
        raise MissingDependencyError(str(error)) from error
    finally:
        if chosen is not None:
            os.environ[_INTERPRETER_VARIABLE] = chosen
    with knobs.runtime.scope():
        knobs.runtime.interpret = False
        yield


def compile_entry(module: ModuleType, entry: Entry, target: Target, stage: Stage) -> str | bytes:
    """What `entry` of a loaded module becomes for `target`: text, or bytes of a binary.

    Raises:
        CompilationError: Triton refused it.
    """
    import triton  # noqa: PLC0415 - an optional dependency of several seconds
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    name = entry.function or entry.name
    function = getattr(module, name)
    names, count = function.arg_names, len(entry.signature)
    if len(names) != count + len(entry.constants):
        raise TypeError(f"{name} takes {names}, not {count} arguments and {entry.constants}")
    constants = dict(zip(names[count:], entry.constants, strict=True))
    types = dict(zip(names, entry.signature, strict=False)) | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=function, signature=types, constexprs=constants or None)
    gpu = GPUTarget(target.backend, target.architecture, target.warp_size)
    options = _OPTIONS if entry.warps is None else {**_OPTIONS, "num_warps": entry.warps}
    try:
        compiled = triton.compile(source, target=gpu, options=options)
    except Exception as error:
        # Triton raises classes of every kind here: its own, LLVM's and those of the assembler.
        file = module.__file__ or ""
        refusal = refusal_of(error, "".join(linecache.getlines(file)), name, file)
        raise CompilationError(refusal) from error
    artefact: str | bytes = compiled.asm[target.artefact(stage)]
    return artefact
