"""What Triton says the types of a kernel's values are, and what our types say they should be.

Triton's code generator runs up to its own IR, without a GPU; every value it binds to a name of the kernel is written
down with its type, as `fp32[16, 1]`, `*i64[8]` or `int32`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transpiler.harness.aot import loaded, parse_target
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    ComputedDimension,
    Dimension,
    DType,
    DtypeParameter,
    ElementType,
    NamedDimension,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
)
from transpiler.ir.visit import walk_statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TARGET = parse_target("sm_90")
_NAMES = {
    DType.BOOL: "int1",
    DType.F16: "fp16",
    DType.BF16: "bf16",
    DType.F32: "fp32",
    DType.F64: "fp64",
    **{
        dtype: f"{'' if dtype.is_signed else 'u'}int{dtype.bits}"
        for dtype in DType
        if dtype.is_integer
    },
}
_SIGNATURES = {
    DType.BOOL: "i1",
    DType.F16: "fp16",
    DType.BF16: "bf16",
    DType.F32: "fp32",
    DType.F64: "fp64",
}


class UnnamedExtentError(Exception):
    """A type has an extent that the compiler does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """What a kernel is compiled for: its dtype parameters and const generics by name, and parameters that are 1."""

    dtypes: Mapping[str, DType]
    constants: Mapping[str, int]
    ones: frozenset[str] = frozenset()


# --- What they should be --------------------------------------------------------------------------


def named_types(kernel: ir.Kernel, instance: Instance) -> dict[str, str]:
    """The types of the kernel's variables as Triton should have them; names are each given once."""
    found: dict[str, str] = {}
    for symbol in _symbols(kernel.body):
        try:
            found[symbol.name] = _expected(symbol.type, instance)
        except UnnamedExtentError:
            continue
    return found


def _symbols(body: ir.Block) -> Iterator[ir.Symbol]:
    for statement in walk_statements(body):
        match statement:
            case ir.Let(symbol=symbol) | ir.Declare(symbol=symbol) | ir.For(symbol=symbol):
                yield symbol
            case ir.LetTuple(symbols=symbols):
                yield from (symbol for symbol in symbols if symbol is not None)
            case _:
                pass


def _expected(type_: Type, instance: Instance) -> str:
    match type_:
        case Scalar(dtype=dtype):
            return _dtype(dtype, instance)
        case Tensor(dtype=dtype, shape=shape):
            return _dtype(dtype, instance) + _shape(shape, instance)
        case Pointer(dtype=dtype):
            return "*" + _memory(dtype, instance)
        case PointerTensor(dtype=dtype, shape=shape):
            return "*" + _memory(dtype, instance) + _shape(shape, instance)
        case TupleType(elements=elements):
            return "(" + ", ".join(_expected(element, instance) for element in elements) + ")"
    raise TypeError(type_)


def _dtype(dtype: ElementType, instance: Instance) -> str:
    match dtype:
        case DType():
            return _NAMES[dtype]
        case DtypeParameter(is_stored=True):
            return _memory(dtype, instance)
        case DtypeParameter(name=name):
            chosen = instance.dtypes[name]
            # Arithmetic on halves runs in f32.
            is_half = chosen.is_float and chosen.bits == 16
            return _NAMES[DType.F32 if is_half else chosen]
    raise TypeError(dtype)


def _memory(dtype: ElementType, instance: Instance) -> str:
    return _NAMES[memory_dtype(dtype, instance)]


def memory_dtype(dtype: ElementType, instance: Instance) -> DType:
    """What memory of a dtype holds."""
    match dtype:
        case DType():
            return dtype
        case DtypeParameter(name=name):
            return instance.dtypes[name]
    raise TypeError(dtype)


def _shape(shape: tuple[Dimension, ...], instance: Instance) -> str:
    extents = [_extent(dimension, instance) for dimension in shape]
    return f"[{', '.join(map(str, extents))}]" if extents else ""


def _extent(dimension: Dimension, instance: Instance) -> int:
    match dimension:
        case int():
            return dimension
        case NamedDimension(name=name):
            return instance.constants[name]
        case ComputedDimension(text=text):
            tree = ast.parse(text.replace("/", "//"), mode="eval")
            return int(eval(compile(tree, "extent", "eval"), {}, dict(instance.constants)))  # noqa: S307 - ours
        case _:
            raise UnnamedExtentError


# --- What they are --------------------------------------------------------------------------------


def triton_types(text: str, kernel: ir.Kernel, instance: Instance) -> dict[str, set[str]]:
    """The types of what Triton binds to each name of the kernel; nothing for compile-time constants.

    Raises:
        Exception: whatever Triton raises where it refuses the kernel.
    """
    with loaded(text, "properties") as module:
        from triton._C.libtriton import ir as triton_ir  # noqa: PLC0415 - seconds
        from triton.backends.compiler import GPUTarget  # noqa: PLC0415
        from triton.compiler import ASTSource, make_backend  # noqa: PLC0415
        from triton.compiler.code_generator import CodeGenerator  # noqa: PLC0415

        function = getattr(module, kernel.name)
        signature = {p.name: _argument(p, instance) for p in kernel.parameters}
        constants = dict.fromkeys(instance.ones, 1) | dict(instance.constants)
        signature |= dict.fromkeys(constants, "constexpr")
        names = function.arg_names
        source = ASTSource(
            fn=function,
            signature={name: signature[name] for name in names},
            constexprs={(names.index(name),): value for name, value in constants.items()},
        )
        target = GPUTarget(_TARGET.backend, _TARGET.architecture, _TARGET.warp_size)
        backend = make_backend(target)
        options = backend.parse_options({"enable_fp_fusion": True})
        context = triton_ir.context()
        triton_ir.load_dialects(context)
        backend.load_dialects(context)
        found: dict[str, set[str]] = {}
        original = CodeGenerator.set_value

        def recorded(self: object, name: str, value: object) -> None:
            if getattr(self, "is_kernel", False):
                shown = _shown(value)
                if shown is not None:
                    found.setdefault(name, set()).add(shown)
            original(self, name, value)

        CodeGenerator.set_value = recorded
        try:
            implementation = backend.get_codegen_implementation(options)
            source.make_ir(target, options, implementation, backend.get_module_map(), context)
        finally:
            CodeGenerator.set_value = original
    return found


def _argument(parameter: ir.Symbol, instance: Instance) -> str:
    match parameter.type:
        case Pointer(dtype=dtype):
            star = "*"
        case Scalar(dtype=dtype):
            star = ""
        case _:
            raise TypeError(parameter.type)
    memory = memory_dtype(dtype, instance)
    return star + _SIGNATURES.get(memory, memory.value)


def _shown(value: object) -> str | None:
    type_ = getattr(value, "type", None)
    if type(value).__name__ == "constexpr":
        return None
    if type(value).__name__ == "tuple":
        parts = [_shown(element) for element in value]  # type: ignore[attr-defined]
        return None if None in parts else "(" + ", ".join(map(str, parts)) + ")"
    return shown_type(type_)


def shown_type(type_: object) -> str:
    """A type of Triton's in this module's notation."""
    scalar = getattr(type_, "scalar", type_)
    element = getattr(scalar, "element_ty", None)
    name = str(scalar) if element is None else f"*{element}"
    is_block = type(type_).__name__ == "block_type"
    extents = [int(extent) for extent in type_.shape] if is_block else []  # type: ignore[attr-defined]
    return name + (f"[{', '.join(map(str, extents))}]" if is_block else "")
