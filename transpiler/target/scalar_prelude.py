"""Functions that generated modules define for the methods of scalars; see `transpiler.target.prelude`.

Each first makes its arguments values of their dtype: Triton may hold them as constants, which compute as Python's
numbers do.
"""

from __future__ import annotations

from transpiler.target.scalar_helper import scalar_helper

_LIMITS = """\
    most: tl.constexpr = 2 ** (dtype.primitive_bitwidth - 1) - 1
    least: tl.constexpr = -most - 1
"""

SCALAR_PRELUDE: dict[str, str] = dict(
    (
        scalar_helper(
            "_power",
            "x, n",
            "`x` to the power of `n >= 0`, wrapping around.",
            """\
    n = tl.cast(n, tl.uint32)
    result = tl.full([], 1, dtype)
    while n > 0:
        result = tl.where(n % 2 == 1, result * x, result)
        x = x * x
        n = n // 2
    return result
""",
        ),
        scalar_helper(
            "_power_signed",
            "x, n",
            "`x` to an integer power, by repeated squaring.",
            """\
    n = tl.cast(n, tl.int32)
    rest = tl.cast(tl.abs(n), tl.uint32)
    result = tl.full([], 1.0, dtype)
    while rest > 0:
        result = tl.where(rest % 2 == 1, result * x, result)
        x = x * x
        rest = rest // 2
    return tl.where(n < 0, 1.0 / result, result)
""",
        ),
        scalar_helper(
            "_power_real",
            "x, y",
            "`x` to the power `y`, computed in double precision.",
            """\
    wide = tl.cast(y, tl.float64)
    whole = tl.floor(wide) == wide
    odd = whole & (tl.floor(wide * 0.5) * 2.0 != wide)
    size = tl.exp2(wide * tl.log2(tl.abs(tl.cast(x, tl.float64))))
    power = tl.where(_is_sign_negative(x, dtype) & odd, size * -1.0, size)
    power = tl.where((x < 0.0) & (x > float("-inf")) & (whole == 0), float("nan"), power)
    power = tl.where((tl.abs(x) == 1.0) & (tl.abs(y) == float("inf")), 1.0, power)
    return tl.where((wide == 0.0) | (x == 1.0), 1.0, power).to(dtype)
""",
        ),
        scalar_helper(
            "_clamp_number",
            "x, low, high",
            "`x` held between `low` and `high`; NaN stays.",
            "    return tl.where(x < low, low, tl.where(x > high, high, x)).to(dtype)\n",
        ),
        scalar_helper(
            "_distance",
            "x, y",
            "`|x - y|`, of which the bits are those of the unsigned result.",
            "    return tl.maximum(x, y) - tl.minimum(x, y)\n",
        ),
        scalar_helper(
            "_signum",
            "x",
            "-1, 0 or 1.",
            "    return tl.cast(x > 0, dtype) - tl.cast(x < 0, dtype)\n",
        ),
        scalar_helper("_is_nan", "x", "Whether `x` is NaN.", "    return x != x\n"),
        scalar_helper(
            "_saturating_add",
            "x, y",
            "`x + y`, held in the range of `dtype`.",
            """\
    total = x + y
    if dtype.is_int_signed():
"""
            + _LIMITS.replace("    ", "        ", 1).replace("\n    ", "\n        ")
            + """\
        bound = tl.where(x < 0, tl.full([], least, dtype), tl.full([], most, dtype))
        overflows = ((x ^ total) & (y ^ total)) < 0
    else:
        top: tl.constexpr = 2**dtype.primitive_bitwidth - 1
        bound = tl.full([], top, dtype)
        overflows = total < x
    return tl.where(overflows, bound, total)
""",
        ),
        scalar_helper(
            "_saturating_sub",
            "x, y",
            "`x - y`, held in the range of `dtype`.",
            """\
    difference = x - y
    if dtype.is_int_signed():
"""
            + _LIMITS.replace("    ", "        ", 1).replace("\n    ", "\n        ")
            + """\
        bound = tl.where(x < 0, tl.full([], least, dtype), tl.full([], most, dtype))
        overflows = ((x ^ y) & (x ^ difference)) < 0
    else:
        bound = tl.full([], 0, dtype)
        overflows = x < y
    return tl.where(overflows, bound, difference)
""",
        ),
        scalar_helper(
            "_rem_euclid",
            "x, y",
            "The remainder of `x / y` that is not negative.",
            """\
    rest = x % y
    return tl.where(rest < 0, tl.where(y < 0, rest - y, rest + y), rest)
""",
        ),
        scalar_helper(
            "_div_euclid",
            "x, y",
            "The quotient of `x / y` that leaves a remainder that is not negative.",
            """\
    step = tl.cast(x % y < 0, dtype)
    return x // y - tl.where(y > 0, step, 0 - step)
""",
        ),
        scalar_helper(
            "_div_euclid_real",
            "x, y",
            "The quotient of `x / y` that leaves a remainder that is not negative.",
            """\
    whole = _truncate(x / y, dtype)
    return tl.where(x % y < 0.0, tl.where(y > 0.0, whole - 1.0, whole + 1.0), whole)
""",
        ),
        scalar_helper(
            "_div_ceil",
            "x, y",
            "`x / y`, rounded up.",
            "    return x // y + tl.cast(x % y != 0, dtype)\n",
        ),
        scalar_helper(
            "_next_multiple",
            "x, y",
            "The smallest multiple of `y` that is at least `x`.",
            "    return x + (y - x % y) % y\n",
        ),
        scalar_helper(
            "_is_power_of_two",
            "x",
            "Whether `x` has one bit set.",
            "    return (x != 0) & ((x & (x - 1)) == 0)\n",
        ),
        scalar_helper(
            "_count_ones",
            "x",
            "The number of bits set.",
            """\
    mask: tl.constexpr = 2**dtype.primitive_bitwidth - 1
    pairs: tl.constexpr = 0x5555555555555555
    nibbles: tl.constexpr = 0x3333333333333333
    octets: tl.constexpr = 0x0F0F0F0F0F0F0F0F
    bits = tl.cast(x, tl.uint64) & tl.full([], mask, tl.uint64)
    bits = bits - ((bits >> 1) & tl.full([], pairs, tl.uint64))
    low = bits & tl.full([], nibbles, tl.uint64)
    bits = low + ((bits >> 2) & tl.full([], nibbles, tl.uint64))
    bits = (bits + (bits >> 4)) & tl.full([], octets, tl.uint64)
    bits = bits + (bits >> 8)
    bits = bits + (bits >> 16)
    return tl.cast((bits + (bits >> 32)) & 127, tl.uint32)
""",
        ),
        scalar_helper(
            "_count_zeros",
            "x",
            "The number of bits not set.",
            "    return dtype.primitive_bitwidth - _count_ones(x, dtype)\n",
        ),
        scalar_helper(
            "_leading_zeros",
            "x",
            "The number of zero bits above the highest bit set.",
            """\
    mask: tl.constexpr = 2**dtype.primitive_bitwidth - 1
    bits = tl.cast(x, tl.uint64) & tl.full([], mask, tl.uint64)
    for i in tl.static_range(6):
        bits = bits | (bits >> (1 << i))
    return dtype.primitive_bitwidth - _count_ones(bits, tl.uint64)
""",
        ),
        scalar_helper(
            "_trailing_zeros",
            "x",
            "The number of zero bits below the lowest bit set.",
            "    return _count_ones((x & (0 - x)) - 1, dtype)\n",
        ),
        scalar_helper(
            "_square_root",
            "x",
            "The square root, rounded to nearest.",
            "    return tl.sqrt_rn(x) if dtype == tl.float32 else tl.sqrt(x)\n",
        ),
        scalar_helper(
            "_truncate",
            "x",
            "`x` rounded toward zero.",
            "    return tl.where(x < 0.0, tl.ceil(x), tl.floor(x))\n",
        ),
        scalar_helper(
            "_round_away",
            "x",
            "`x` rounded to nearest, halves away from zero.",
            """\
    whole = _truncate(x, dtype)
    step = tl.where(x < 0.0, whole - 1.0, whole + 1.0)
    return tl.where(tl.abs(x - whole) >= 0.5, step, whole)
""",
        ),
        scalar_helper(
            "_fraction",
            "x",
            "`x` without its integer part.",
            "    return x - _truncate(x, dtype)\n",
        ),
        scalar_helper(
            "_is_sign_negative",
            "x",
            "Whether the sign bit is set.",
            """\
    bits: tl.constexpr = tl.int32 if dtype.primitive_bitwidth == 32 else tl.int64
    return x.to(bits, bitcast=True) < 0
""",
        ),
        scalar_helper(
            "_copy_sign",
            "x, y",
            "The size of `x` with the sign of `y`.",
            "    return tl.where(_is_sign_negative(y, dtype), tl.abs(x) * -1.0, tl.abs(x))\n",
        ),
        scalar_helper(
            "_sign",
            "x",
            "1 or -1 by the sign bit; NaN of NaN.",
            "    one = tl.where(_is_sign_negative(x, dtype), -1.0, 1.0).to(dtype)\n"
            "    return tl.where(x != x, x, one)\n",
        ),
        scalar_helper(
            "_rotate_left",
            "x, n",
            "`x` with its bits moved up by `n`, those at the top back in at the bottom.",
            """\
    width: tl.constexpr = dtype.primitive_bitwidth
    mask: tl.constexpr = 2**width - 1
    n = tl.cast(n, tl.uint64) % width
    bits = tl.cast(x, tl.uint64) & tl.full([], mask, tl.uint64)
    return tl.cast((bits << n) | (bits >> ((width - n) % width)), dtype)
""",
        ),
        scalar_helper(
            "_rotate_right",
            "x, n",
            "`x` with its bits moved down by `n`, those at the bottom back in at the top.",
            """\
    width: tl.constexpr = dtype.primitive_bitwidth
    return _rotate_left(x, width - tl.cast(n, tl.uint32) % width, dtype)
""",
        ),
        scalar_helper(
            "_swap_bytes",
            "x",
            "`x` with its bytes in reverse.",
            """\
    rest = tl.cast(x, tl.uint64)
    result = tl.full([], 0, tl.uint64)
    for _ in range(dtype.primitive_bitwidth // 8):
        result = (result << 8) | (rest & 255)
        rest = rest >> 8
    return tl.cast(result, dtype)
""",
        ),
        scalar_helper(
            "_reverse_bits",
            "x",
            "`x` with its bits in reverse.",
            """\
    rest = tl.cast(x, tl.uint64)
    result = tl.full([], 0, tl.uint64)
    for _ in range(dtype.primitive_bitwidth):
        result = (result << 1) | (rest & 1)
        rest = rest >> 1
    return tl.cast(result, dtype)
""",
        ),
        scalar_helper(
            "_leading_ones",
            "x",
            "The number of set bits above the highest bit that is not.",
            "    return _leading_zeros(0 - x - 1, dtype)\n",
        ),
        scalar_helper(
            "_trailing_ones",
            "x",
            "The number of set bits below the lowest bit that is not.",
            "    return _trailing_zeros(0 - x - 1, dtype)\n",
        ),
        scalar_helper(
            "_integer_root",
            "x",
            "The square root, rounded down.",
            """\
    bits = tl.cast(x, tl.uint64)
    most = tl.full([], 4294967295, tl.uint64)
    root = tl.minimum(tl.cast(tl.sqrt(tl.cast(x, tl.float64)), tl.uint64), most)
    # The conversion and the root may each have rounded up, or down.
    root = root - tl.cast(root * root > bits, tl.uint64)
    above = root + 1
    root = root + tl.cast((root < most) & (above * above <= bits), tl.uint64)
    return tl.cast(root, dtype)
""",
        ),
        scalar_helper(
            "_integer_logarithm",
            "x, base",
            "The logarithm, rounded down.",
            """\
    base = tl.cast(base, dtype)
    rest = x // base
    result = tl.full([], 0, tl.uint32)
    while (rest > 0) & (base > 1):
        rest = rest // base
        result = result + 1
    return result
""",
        ),
        scalar_helper(
            "_add_overflows",
            "x, y",
            "Whether `x + y` wraps around.",
            """\
    total = x + y
    return ((x ^ total) & (y ^ total)) < 0 if dtype.is_int_signed() else total < x
""",
        ),
        scalar_helper(
            "_sub_overflows",
            "x, y",
            "Whether `x - y` wraps around.",
            "    return ((x ^ y) & (x ^ (x - y))) < 0 if dtype.is_int_signed() else x < y\n",
        ),
        scalar_helper(
            "_mul_overflows",
            "x, y",
            "Whether `x * y` wraps around.",
            """\
    one = tl.full([], 1, dtype)
    if dtype.is_int_signed():
        least: tl.constexpr = -(2 ** (dtype.primitive_bitwidth - 1))
        is_plain = (x == 0) | (x == -1)
        wraps = (is_plain == 0) & (x * y // tl.where(is_plain, one, x) != y)
        wraps = wraps | ((x == -1) & (y == tl.full([], least, dtype)))
    else:
        wraps = (x != 0) & (x * y // tl.where(x == 0, one, x) != y)
    return wraps
""",
        ),
        scalar_helper(
            "_saturating_mul",
            "x, y",
            "`x * y`, held in the range of `dtype`.",
            """\
    if dtype.is_int_signed():
        most: tl.constexpr = 2 ** (dtype.primitive_bitwidth - 1) - 1
        least: tl.constexpr = -most - 1
        is_below = (x < 0) ^ (y < 0)
        bound = tl.where(is_below, tl.full([], least, dtype), tl.full([], most, dtype))
    else:
        top: tl.constexpr = 2**dtype.primitive_bitwidth - 1
        bound = tl.full([], top, dtype)
    return tl.where(_mul_overflows(x, y, dtype), bound, x * y)
""",
        ),
        scalar_helper(
            "_saturating_power",
            "x, n",
            "`x` to the power of `n >= 0`, held in the range of `dtype`.",
            """\
    n = tl.cast(n, tl.uint32)
    if dtype.is_int_signed():
        most: tl.constexpr = 2 ** (dtype.primitive_bitwidth - 1) - 1
        least: tl.constexpr = -most - 1
        is_below = (x < 0) & (n % 2 == 1)
        bound = tl.where(is_below, tl.full([], least, dtype), tl.full([], most, dtype))
    else:
        top: tl.constexpr = 2**dtype.primitive_bitwidth - 1
        bound = tl.full([], top, dtype)
    result = tl.full([], 1, dtype)
    wraps = n < 0
    is_far = n < 0
    while n > 0:
        is_odd = n % 2 == 1
        wraps = wraps | (is_odd & (is_far | _mul_overflows(result, x, dtype)))
        result = tl.where(is_odd, result * x, result)
        n = n // 2
        is_far = is_far | ((n > 0) & _mul_overflows(x, x, dtype))
        x = x * x
    return tl.where(wraps, bound, result)
""",
        ),
        scalar_helper(
            "_saturating_abs",
            "x",
            "`|x|`, held in the range of `dtype`.",
            """\
    most: tl.constexpr = 2 ** (dtype.primitive_bitwidth - 1) - 1
    size = tl.abs(x)
    return tl.where(size < 0, tl.full([], most, dtype), size)
""",
        ),
        scalar_helper("_negated", "x", "`-x`, wrapping around.", "    return 0 - x\n"),
        scalar_helper("_wrapping_sum", "x, y", "`x + y`, wrapping around.", "    return x + y\n"),
        scalar_helper(
            "_next_power_of_two",
            "x",
            "The smallest power of two that is at least `x`; 0 where `dtype` cannot hold it.",
            """\
    width: tl.constexpr = dtype.primitive_bitwidth
    one = tl.full([], 1, dtype)
    places = tl.cast(width - _leading_zeros(x - 1, dtype), dtype)
    power = tl.where(places == width, 0, one << (places % width))
    return tl.where(x < 2, one, power).to(dtype)
""",
        ),
        scalar_helper(
            "_to_bits",
            "x",
            "The bits of `x` as an unsigned integer.",
            """\
    bits: tl.constexpr = tl.uint32 if dtype.primitive_bitwidth == 32 else tl.uint64
    return x.to(bits, bitcast=True)
""",
        ),
        scalar_helper(
            "_from_bits",
            "n",
            "The float of which `n` has the bits.",
            """\
    bits: tl.constexpr = tl.uint32 if dtype.primitive_bitwidth == 32 else tl.uint64
    return tl.cast(n, bits).to(dtype, bitcast=True)
""",
        ),
        scalar_helper(
            "_is_normal",
            "x",
            "Whether `x` is neither zero, subnormal, infinite nor NaN.",
            """\
    least: tl.constexpr = 2.0**-126 if dtype.primitive_bitwidth == 32 else 2.0**-1022
    return (tl.abs(x) >= tl.full([], least, dtype)) & (tl.abs(x) < float("inf"))
""",
        ),
        scalar_helper(
            "_is_subnormal",
            "x",
            "Whether `x` is smaller than the normal numbers, and not zero.",
            """\
    least: tl.constexpr = 2.0**-126 if dtype.primitive_bitwidth == 32 else 2.0**-1022
    return (x != 0.0) & (tl.abs(x) < tl.full([], least, dtype))
""",
        ),
        scalar_helper(
            "_round_even",
            "x",
            "`x` rounded to nearest, halves to the even neighbour.",
            """\
    is_half = tl.abs(x - _truncate(x, dtype)) == 0.5
    even = _round_away(x * 0.5, dtype) * 2.0
    return _copy_sign(tl.where(is_half, even, _round_away(x, dtype)), x, dtype)
""",
        ),
        scalar_helper(
            "_logarithm",
            "x, base",
            "The logarithm, computed in double precision.",
            """\
    wide = tl.cast(x, tl.float64)
    return (tl.log(wide) / tl.log(tl.cast(base, tl.float64))).to(dtype)
""",
        ),
        scalar_helper(
            "_log_plus_one",
            "x",
            "ln(1 + x), accurate near 0.",
            """\
    wide = tl.cast(x, tl.float64)
    sum = wide + 1.0
    # What rounding took from the sum is made good in proportion.
    result = tl.log(sum) * (wide / (sum - 1.0))
    return tl.where((sum == 1.0) | (wide == float("inf")), wide, result).to(dtype)
""",
        ),
        scalar_helper(
            "_exp_minus_one",
            "x",
            "exp(x) - 1, accurate near 0.",
            """\
    wide = tl.cast(x, tl.float64)
    power = tl.exp(wide)
    less = power - 1.0
    # What rounding took from the difference is made good in proportion.
    result = tl.where(tl.abs(wide) < 1.0, less * (wide / tl.log(power)), less)
    return tl.where(power == 1.0, wide, result).to(dtype)
""",
        ),
        scalar_helper(
            "_cube_root",
            "x",
            "The cube root.",
            """\
    wide = tl.abs(tl.cast(x, tl.float64))
    root = tl.exp2(tl.log2(wide) / 3.0)
    # One step of Newton's method.
    root = root - (root - wide / (root * root)) / 3.0
    is_plain = (wide > 0.0) & (wide < float("inf"))
    return _copy_sign(tl.where(is_plain, root, wide).to(dtype), x, dtype)
""",
        ),
        scalar_helper(
            "_hypotenuse",
            "x, y",
            "The length of the vector of `x` and `y`.",
            """\
    a = tl.abs(tl.cast(x, tl.float64))
    b = tl.abs(tl.cast(y, tl.float64))
    long = tl.maximum(a, b)
    ratio = tl.minimum(a, b) / long
    length = tl.where(long == 0.0, 0.0, long * tl.sqrt(ratio * ratio + 1.0))
    length = tl.where((a != a) | (b != b), float("nan"), length)
    return tl.where(long == float("inf"), long, length).to(dtype)
""",
        ),
        scalar_helper(
            "_tangent",
            "x",
            "The tangent, computed in double precision.",
            """\
    wide = tl.cast(x, tl.float64)
    return (tl.sin(wide) / tl.cos(wide)).to(dtype)
""",
        ),
        scalar_helper(
            "_hyperbolic_sine",
            "x",
            "The hyperbolic sine, computed in double precision.",
            """\
    size = tl.abs(tl.cast(x, tl.float64))
    less = _exp_minus_one(size, tl.float64)
    small = (less + less / (less + 1.0)) * 0.5
    result = tl.where(size > 20.0, tl.exp(size) * 0.5, small)
    return _copy_sign(result.to(dtype), x, dtype)
""",
        ),
        scalar_helper(
            "_hyperbolic_cosine",
            "x",
            "The hyperbolic cosine, computed in double precision.",
            """\
    power = tl.exp(tl.abs(tl.cast(x, tl.float64)))
    return ((power + 1.0 / power) * 0.5).to(dtype)
""",
        ),
        scalar_helper(
            "_hyperbolic_tangent",
            "x",
            "The hyperbolic tangent, computed in double precision.",
            """\
    size = tl.abs(tl.cast(x, tl.float64))
    less = _exp_minus_one(size * 2.0, tl.float64)
    result = tl.where(size > 20.0, 1.0, less / (less + 2.0))
    return _copy_sign(result.to(dtype), x, dtype)
""",
        ),
        scalar_helper(
            "_arc_sine",
            "x",
            "The arc sine, computed in double precision.",
            """\
    wide = tl.cast(x, tl.float64)
    return _atan(wide / tl.sqrt((1.0 - wide) * (1.0 + wide))).to(dtype)
""",
        ),
        scalar_helper(
            "_arc_cosine",
            "x",
            "The arc cosine, computed in double precision.",
            """\
    wide = tl.cast(x, tl.float64)
    return (_atan(tl.sqrt((1.0 - wide) / (1.0 + wide))) * 2.0).to(dtype)
""",
        ),
        scalar_helper(
            "_arc_tangent",
            "x",
            "The arc tangent, computed in double precision.",
            "    return _atan(tl.cast(x, tl.float64)).to(dtype)\n",
        ),
        scalar_helper(
            "_angle",
            "y, x",
            "The angle between the first axis and the vector of `x` and `y`, computed in double precision.",
            """\
    pi = tl.full([], 3.141592653589793, tl.float64)
    across = tl.abs(tl.cast(x, tl.float64))
    up = tl.abs(tl.cast(y, tl.float64))
    angle = tl.where(up == across, pi * 0.25, _atan(up / across))
    angle = tl.where(up == 0.0, 0.0, angle)
    angle = tl.where(_is_sign_negative(x, dtype), pi - angle, angle)
    angle = tl.where((x != x) | (y != y), float("nan"), angle)
    return _copy_sign(angle.to(dtype), y, dtype)
""",
        ),
    )
)
