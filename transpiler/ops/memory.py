"""Loads, stores and atomics."""

from __future__ import annotations

from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import DType
from transpiler.ops.model import Effect, Op, ShapeDescribed, ShapeGiven, ShapeOf

_WORDS = frozenset({DType.I32, DType.I64, DType.U32, DType.U64})
_FLOAT_WORDS = frozenset({DType.F32, DType.F64})
_HALVES = frozenset({DType.F16, DType.BF16})
_NO_BYTES = frozenset(dtype for dtype in DType if dtype.bits >= 16)


def _atomic(
    name: str,
    bound: str,
    summary: str,
    dtypes: frozenset[DType],
    spelled_for: frozenset[DType] | None = None,
    combines: BinaryOperator | None = None,
) -> Op:
    """An atomic update; what it is not `spelled_for`, a function of the module does."""
    arguments = "ptr, val, mask=mask, sem=sem, scope=scope"
    return Op(
        name=name,
        family="atomics",
        signature=(
            f"<D: {bound}>(ptr: Pointers<D>, val: Tensor<D>, mask: Option<Mask>, "
            "sem: Option<MemSem>, scope: Option<MemScope>) -> Tensor<D>"
        ),
        triton=f"tl.{name}({arguments})",
        summary=summary,
        shape=ShapeOf(parameter="ptr"),
        fits=(("val", "ptr"), ("mask", "ptr")),
        effect=Effect.ATOMIC,
        is_stored=True,
        takes_stored=("val",),
        dtypes={"D": dtypes},
        spelled_for={} if spelled_for is None else {"D": spelled_for},
        elsewhere=None if spelled_for is None else f"_{name}({arguments})",
        combines=combines,
    )


MEMORY: tuple[Op, ...] = (
    Op(
        name="load",
        family="memory",
        signature=(
            "<D: Dtype>(ptr: Pointers<D>, mask: Option<Mask>, other: Option<Tensor<D>>, "
            "boundary_check: [const i32], padding_option: Option<PaddingOption>, "
            "cache_modifier: Option<CacheModifier>, eviction_policy: Option<EvictionPolicy>, "
            "volatile: bool) -> Tensor<D>"
        ),
        triton=(
            "tl.load(ptr, mask=mask, other=other, cache_modifier=cache_modifier, "
            "eviction_policy=eviction_policy, volatile=volatile)"
        ),
        summary="The elements under the pointers; `other` where the mask is off.",
        shape=ShapeOf(parameter="ptr"),
        fits=(("mask", "ptr"), ("other", "ptr")),
        effect=Effect.READS,
        is_stored=True,
        takes_stored=("other",),
        ignores=("boundary_check", "padding_option"),
    ),
    Op(
        name="store",
        family="memory",
        signature=(
            "<D: Dtype>(dest: Pointers<D>, src: Tensor<D>, mask: Option<Mask>, "
            "boundary_check: [const i32], cache_modifier: Option<CacheModifier>, "
            "eviction_policy: Option<EvictionPolicy>) -> ()"
        ),
        triton=(
            "tl.store(dest, src, mask=mask, cache_modifier=cache_modifier, "
            "eviction_policy=eviction_policy)"
        ),
        summary="Writes the elements whose mask is on.",
        fits=(("src", "dest"), ("mask", "dest")),
        effect=Effect.WRITES,
        takes_stored=("src",),
        ignores=("boundary_check",),
    ),
    _atomic(
        "atomic_add",
        "Num",
        "Adds to memory and gives what was there.",
        _WORDS | _FLOAT_WORDS | _HALVES,
        combines=BinaryOperator.ADD,
    ),
    _atomic(
        "atomic_max",
        "Num",
        "Keeps the larger in memory and gives what was there.",
        _WORDS | _FLOAT_WORDS,
    ),
    _atomic(
        "atomic_min",
        "Num",
        "Keeps the smaller in memory and gives what was there.",
        _WORDS | _FLOAT_WORDS,
    ),
    _atomic("atomic_and", "Int", "Bitwise and with memory; gives what was there.", _WORDS),
    _atomic("atomic_or", "Int", "Bitwise or with memory; gives what was there.", _WORDS),
    _atomic("atomic_xor", "Int", "Bitwise exclusive or with memory; gives what was there.", _WORDS),
    _atomic(
        "atomic_xchg",
        "Dtype",
        "Exchanges with memory and gives what was there.",
        _WORDS | _FLOAT_WORDS,
        spelled_for=_WORDS,
    ),
    Op(
        name="atomic_cas",
        family="atomics",
        signature=(
            "<D: Dtype>(ptr: Pointers<D>, cmp: Tensor<D>, val: Tensor<D>, "
            "sem: Option<MemSem>, scope: Option<MemScope>) -> Tensor<D>"
        ),
        triton="_atomic_cas(ptr, cmp, val, sem=sem, scope=scope)",
        summary="Exchanges with memory what equals `cmp` and gives what was there.",
        shape=ShapeOf(parameter="ptr"),
        fits=(("cmp", "ptr"), ("val", "ptr")),
        effect=Effect.ATOMIC,
        is_stored=True,
        takes_stored=("cmp", "val"),
        dtypes={"D": _NO_BYTES},
    ),
    Op(
        name="load_scalar_f32_as_i32",
        family="memory",
        signature="(ptr: Pointer<f32>, offset: i32) -> i32",
        triton="_to_integer(tl.load(ptr + offset), tl.int32)",
        summary="One element, rounded toward zero; what i32 cannot hold becomes its nearest, NaN 0.",
        effect=Effect.READS,
        is_stored=True,
        addresses=("offset",),
    ),
    Op(
        name="make_block_ptr",
        family="memory",
        signature=(
            "<D: Dtype>(base: Pointer<D>, shape: [i32], strides: [i32], offsets: [i32], "
            "block_shape: [const i32], order: [const i32]) -> Descriptor<D>"
        ),
        triton="(base, shape, strides, offsets, block_shape, order)",
        summary="A block pointer: a tile of `block_shape` at `offsets` in memory of `shape`.",
        shape=ShapeGiven(parameter="block_shape"),
        as_long=(
            ("shape", "block_shape"),
            ("strides", "block_shape"),
            ("offsets", "block_shape"),
            ("order", "block_shape"),
        ),
    ),
    Op(
        name="advance",
        family="memory",
        signature="<D: Dtype>(ptr: Descriptor<D>, offsets: [i32]) -> Descriptor<D>",
        triton="(ptr, offsets)",
        summary="The block pointer moved by `offsets`, counted in elements.",
        shape=ShapeDescribed(parameter="ptr"),
        as_long=(("offsets", "ptr"),),
    ),
    Op(
        name="make_tensor_descriptor",
        family="memory",
        signature=(
            "<D: Dtype>(base: Pointer<D>, shape: [i32], strides: [i32], block_shape: [const i32], "
            "padding_option: Option<PaddingOption>) -> Descriptor<D>"
        ),
        triton="(base, shape, strides, block_shape, padding_option)",
        summary="A view of memory as a matrix of tiles of `block_shape`.",
        shape=ShapeGiven(parameter="block_shape"),
        as_long=(("shape", "block_shape"), ("strides", "block_shape")),
    ),
    Op(
        name="load_tensor_descriptor",
        family="memory",
        signature="<D: Dtype>(desc: Descriptor<D>, offsets: [i32]) -> Tensor<D>",
        triton="_load_tile(desc, offsets)",
        summary="The tile at the offsets, counted in elements.",
        shape=ShapeDescribed(parameter="desc"),
        effect=Effect.READS,
        is_stored=True,
        as_long=(("offsets", "desc"),),
    ),
    Op(
        name="store_tensor_descriptor",
        family="memory",
        signature="<D: Dtype>(desc: Descriptor<D>, offsets: [i32], value: Tensor<D>) -> ()",
        triton="_store_tile(desc, offsets, value)",
        summary="Writes a tile at the offsets, counted in elements.",
        effect=Effect.WRITES,
        takes_stored=("value",),
        as_long=(("offsets", "desc"),),
    ),
)
