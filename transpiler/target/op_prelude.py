"""Compositions for operations that Triton lacks, or that its versions or its interpreter take differently."""

from __future__ import annotations

OP_PRELUDE: dict[str, str] = {
    "_IS_INTERPRETED": "_IS_INTERPRETED = tl.constexpr(triton.knobs.runtime.interpret)\n",
    "_dot": '''\
@triton.jit
def _dot(
    a,
    b,
    acc=None,
    input_precision: tl.constexpr = None,
    max_num_imprecise_acc: tl.constexpr = None,
    out_dtype: tl.constexpr = tl.float32,
):
    """`tl.dot`, but in the interpreter, which takes bf16 for whole numbers, bf16 is widened first."""
    if _IS_INTERPRETED:
        if a.dtype == tl.bfloat16:
            a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(
        a,
        b,
        acc=acc,
        input_precision=input_precision,
        max_num_imprecise_acc=max_num_imprecise_acc,
        out_dtype=out_dtype,
    )
''',
    "_toward_zero": '''\
@triton.jit
def _toward_zero(x):
    """`x`, in f64, as f32, rounded toward zero: the nearest, or the one before it where that is too large."""
    nearest = x.to(tl.float32)
    is_past = tl.abs(nearest.to(tl.float64)) > tl.abs(x)
    return (nearest.to(tl.int32, bitcast=True) - is_past.to(tl.int32)).to(tl.float32, bitcast=True)
''',
    "_convert": '''\
@triton.jit
def _convert(x, dtype: tl.constexpr, rounding: tl.constexpr, bitcast: tl.constexpr = False):
    """`x.to(dtype)`, rounded as asked where floats become narrower: nothing else is Triton asked to round."""
    # No GPU rounds f64 otherwise than to nearest.
    is_double: tl.constexpr = x.dtype == tl.float64 and dtype.is_floating() and rounding == "rtz"
    y = _toward_zero(x) if is_double and dtype != tl.float64 else x
    is_narrower: tl.constexpr = y.dtype.primitive_bitwidth > dtype.primitive_bitwidth
    if y.dtype.is_floating() and dtype.is_floating() and is_narrower:
        return y.to(dtype, fp_downcast_rounding=rounding)
    else:
        return y.to(dtype, bitcast=bitcast)
''',
    "_sqrt_rn": '''\
@triton.jit
def _sqrt_rn(x):
    """The square root, rounded to nearest, as every square root in f64 is."""
    return tl.sqrt(x) if x.dtype == tl.float64 else tl.sqrt_rn(x)
''',
    "_div_rn": '''\
@triton.jit
def _div_rn(x, y):
    """`x / y`, rounded to nearest, as every quotient in f64 is."""
    return x / y if x.dtype == tl.float64 else tl.div_rn(x, y)
''',
    "_clamp": '''\
@triton.jit
def _clamp(x, lo, hi):
    """`x` held between `lo` and `hi`."""
    return tl.clamp(x, lo, hi) if x.dtype.is_floating() else tl.minimum(tl.maximum(x, lo), hi)
''',
    "_atan": '''\
@triton.jit
def _atan(x):
    """The arc tangent, to some units in the last place: of a number below tan(pi / 8) by a polynomial in its square."""
    size = tl.abs(x)
    is_large = size > 2.414213562373095
    is_middling = (size > 0.4142135623730950) & (size <= 2.414213562373095)
    # atan(s) is pi / 2 - atan(1 / s), and pi / 4 + atan((s - 1) / (s + 1)).
    one = tl.full(x.shape, 1.0, x.dtype)
    over = tl.where(is_large, -one, tl.where(is_middling, size - one, size))
    under = tl.where(is_large, size, tl.where(is_middling, size + one, one))
    quarters = tl.where(is_large, one + one, tl.where(is_middling, one, one - one))
    t = _div_rn(over, under)
    z = t * t
    # pi / 4 is the sum of two numbers of the dtype.
    if x.dtype == tl.float64:
        p = z * -0.013916943217800841 + 0.03063443323901452
        p = p * z - 0.04104381417807643
        p = p * z + 0.04719381457895137
        p = p * z - 0.052580394289794816
        p = p * z + 0.05881925033877732
        p = p * z - 0.06666642004996545
        p = p * z + 0.07692306735321475
        p = p * z - 0.0909090906699066
        p = p * z + 0.11111111110754406
        p = p * z - 0.14285714285711515
        p = p * z + 0.19999999999999993
        p = p * z - 0.3333333333333333
        base = quarters * 0.7853981633974483
        rest = quarters * 3.061616997868383e-17
    else:
        p = z * 0.05047937432040091 - 0.08624598215196126
        p = p * z + 0.11071354571201351
        p = p * z - 0.14284150629730288
        p = p * z + 0.1999997724823353
        p = p * z - 0.3333333327922454
        base = quarters * 0.7853981852531433
        rest = quarters * -2.1855694143368964e-08
    angle = base + (rest + (t + t * z * p))
    return tl.where(size > 0, tl.where(x < 0, -angle, angle), x)
''',
    "_softmax": '''\
@triton.jit
def _softmax(x, dim: tl.constexpr = -1, ieee_rounding: tl.constexpr = False):
    """exp(x) over its sum along `dim`, by default the last."""
    axis: tl.constexpr = dim % len(x.shape)
    powers = tl.exp(x - tl.max(x, axis=axis, keep_dims=True))
    sums = tl.broadcast_to(tl.sum(powers, axis=axis, keep_dims=True), x.shape)
    return _div_rn(powers, sums) if ieee_rounding else powers / sums
''',
    "_cat": '''\
@triton.jit
def _cat(a, b):
    """The elements of the vector `a`, then those of `b`."""
    return tl.reshape(tl.permute(tl.join(a, b), (1, 0)), [2 * a.shape[0]])
''',
    "_flip": '''\
@triton.jit
def _flip(x, dim: tl.constexpr = None):
    """`x` with the elements along `dim`, by default along every dimension, in reverse."""
    y = x
    if dim is None:
        for axis in tl.static_range(len(x.shape)):
            y = tl.flip(y, axis)
    else:
        y = tl.flip(y, dim % len(x.shape))
    return y
''',
    "_positions": '''\
@triton.jit
def _positions(x, axis: tl.constexpr):
    """Where each element of `x` stands along `axis`."""
    rank: tl.constexpr = len(x.shape)
    at: tl.constexpr = axis % rank
    counted = tl.arange(0, x.shape[at])
    return tl.broadcast_to(
        tl.reshape(counted, [1] * at + [x.shape[at]] + [1] * (rank - 1 - at)), x.shape
    )
''',
    "_larger": '''\
@triton.jit
def _larger(x, i, y, j):
    """The larger of two values and where it stands; NaN is the largest."""
    first = (x > y) | (x != x)
    return tl.where(first, x, y), tl.where(first, i, j)
''',
    "_leftmost_larger": '''\
@triton.jit
def _leftmost_larger(x, i, y, j):
    """The larger of two values and where it stands; NaN is the largest, and of two equals the left one."""
    equal = (x == y) | ((x != x) & (y != y))
    first = tl.where(equal, i < j, (x > y) | (x != x))
    return tl.where(first, x, y), tl.where(first, i, j)
''',
    "_smaller": '''\
@triton.jit
def _smaller(x, i, y, j):
    """The smaller of two values and where it stands; NaN is the smallest."""
    first = (x < y) | (x != x)
    return tl.where(first, x, y), tl.where(first, i, j)
''',
    "_leftmost_smaller": '''\
@triton.jit
def _leftmost_smaller(x, i, y, j):
    """The smaller of two values and where it stands; NaN is the smallest, and of two equals the left one."""
    equal = (x == y) | ((x != x) & (y != y))
    first = tl.where(equal, i < j, (x < y) | (x != x))
    return tl.where(first, x, y), tl.where(first, i, j)
''',
    "_max_with_indices": '''\
@triton.jit
def _max_with_indices(
    x,
    axis: tl.constexpr,
    tie_break_left: tl.constexpr = False,
    keep_dims: tl.constexpr = False,
):
    """The largest along `axis` and where it stands; the first NaN where there is one."""
    pairs = (x, _positions(x, axis))
    if tie_break_left:
        return tl.reduce(pairs, axis, _leftmost_larger, keep_dims=keep_dims)
    else:
        return tl.reduce(pairs, axis, _larger, keep_dims=keep_dims)
''',
    "_min_with_indices": '''\
@triton.jit
def _min_with_indices(
    x,
    axis: tl.constexpr,
    tie_break_left: tl.constexpr = False,
    keep_dims: tl.constexpr = False,
):
    """The smallest along `axis` and where it stands; the first NaN where there is one."""
    pairs = (x, _positions(x, axis))
    if tie_break_left:
        return tl.reduce(pairs, axis, _leftmost_smaller, keep_dims=keep_dims)
    else:
        return tl.reduce(pairs, axis, _smaller, keep_dims=keep_dims)
''',
}
