"""The functions of generated modules that lower memory operations, random numbers and hints."""

from __future__ import annotations

MEMORY_PRELUDE: dict[str, str] = {
    "_tile": '''\
@triton.jit
def _tile(shape, strides, offsets, block_shape: tl.constexpr, checked: tl.constexpr):
    """The places of a tile's elements, counted from the base, and which are inside of `shape`.

    Bit i of `checked` tells whether the bounds of axis i count.
    """
    rank: tl.constexpr = len(block_shape)
    places = tl.zeros(block_shape, tl.int64)
    inside = tl.full(block_shape, 1, tl.int1)
    for axis in tl.static_range(rank):
        index = offsets[axis] + tl.arange(0, block_shape[axis])
        for other in tl.static_range(rank):
            if other != axis:
                index = tl.expand_dims(index, other)
        places += index.to(tl.int64) * strides[axis]
        if (checked >> axis) & 1:
            inside &= (index >= 0) & (index < shape[axis])
    return places, inside
''',
    "_load_tile": '''\
@triton.jit
def _load_tile(
    base,
    shape,
    strides,
    offsets,
    block_shape: tl.constexpr,
    checked: tl.constexpr = -1,
    padding_option: tl.constexpr = None,
    cache_modifier: tl.constexpr = None,
    eviction_policy: tl.constexpr = None,
    volatile: tl.constexpr = False,
):
    """The tile at `offsets`, padded where it passes the bounds of the axes that are `checked`."""
    places, inside = _tile(shape, strides, offsets, block_shape, checked)
    return tl.load(
        base + places,
        mask=inside,
        other=float("nan") if padding_option == "nan" else 0,
        cache_modifier=cache_modifier,
        eviction_policy=eviction_policy,
        volatile=volatile,
    )
''',
    "_store_tile": '''\
@triton.jit
def _store_tile(
    base,
    shape,
    strides,
    offsets,
    block_shape: tl.constexpr,
    value,
    checked: tl.constexpr = -1,
    cache_modifier: tl.constexpr = None,
    eviction_policy: tl.constexpr = None,
):
    """Stores the tile at `offsets`, without what passes the bounds of the axes `checked`."""
    places, inside = _tile(shape, strides, offsets, block_shape, checked)
    tl.store(
        base + places,
        value,
        mask=inside,
        cache_modifier=cache_modifier,
        eviction_policy=eviction_policy,
    )
''',
    "_bits_of": '''\
@triton.jit
def _bits_of(x, dtype: tl.constexpr):
    """The elements of `x`, or the places it points to, of a float dtype as integers of its width."""
    if dtype.primitive_bitwidth == 64:
        bits: tl.constexpr = tl.int64
    elif dtype.primitive_bitwidth == 32:
        bits: tl.constexpr = tl.int32
    else:
        bits: tl.constexpr = tl.int16
    return x.to(tl.pointer_type(bits) if x.dtype.is_ptr() else bits, bitcast=True)
''',
    "_atomic_xchg": '''\
@triton.jit
def _atomic_xchg(ptr, val, mask=None, sem: tl.constexpr = None, scope: tl.constexpr = None):
    """Exchanges `val` with memory, of floats the bits: AMD's GPUs and the interpreter have no more."""
    dtype: tl.constexpr = ptr.dtype.element_ty
    if dtype.is_floating():
        places, new = _bits_of(ptr, dtype), _bits_of(val.to(dtype), dtype)
        old = tl.atomic_xchg(places, new, mask=mask, sem=sem, scope=scope)
        return old.to(dtype, bitcast=True)
    else:
        return tl.atomic_xchg(ptr, val, mask=mask, sem=sem, scope=scope)
''',
    "_atomic_cas": '''\
@triton.jit
def _atomic_cas(ptr, cmp, val, sem: tl.constexpr = None, scope: tl.constexpr = None):
    """Exchanges with `val` what equals `cmp`, both in the dtype of the memory; what was there."""
    dtype: tl.constexpr = ptr.dtype.element_ty
    val = tl.broadcast_to(val.to(dtype), ptr.shape)
    # An array of its own: the interpreters of Triton 3.4 to 3.6 write into it.
    cmp = tl.where(tl.full(ptr.shape, 1, tl.int1), cmp.to(dtype), val)
    if dtype.is_floating():
        places = _bits_of(ptr, dtype)
        old = tl.atomic_cas(places, _bits_of(cmp, dtype), _bits_of(val, dtype), sem=sem, scope=scope)
        return old.to(dtype, bitcast=True)
    else:
        return tl.atomic_cas(ptr, cmp, val, sem=sem, scope=scope)
''',
    "_randint4x": '''\
@triton.jit
def _randint4x(seed, offsets, n_rounds: tl.constexpr):
    """Four times 32 random bits an offset, as signed integers."""
    a, b, c, d = tl.randint4x(seed, offsets, n_rounds)
    return (
        a.to(tl.int32, bitcast=True),
        b.to(tl.int32, bitcast=True),
        c.to(tl.int32, bitcast=True),
        d.to(tl.int32, bitcast=True),
    )
''',
    "_assume": '''\
@triton.jit
def _assume(condition):
    """Promises that `condition` holds where it is a single one; to promise it of a tile, Triton would compute it."""
    if condition.numel == 1:
        tl.assume(tl.min(condition.to(tl.int32), axis=None) != 0)
''',
}
