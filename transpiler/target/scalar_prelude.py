"""Functions that generated modules define for the methods of scalars; see `transpiler.target.prelude`.

Each first makes its arguments values of their dtype: Triton may hold them as constants, which compute as Python's
numbers do.
"""

from __future__ import annotations


def _helper(name: str, parameters: str, summary: str, body: str) -> tuple[str, str]:
    names = [part.strip() for part in parameters.split(",")]
    held = "".join(f"    {part} = tl.cast({part}, dtype)\n" for part in names if part in {"x", "y"})
    text = (
        f"@triton.jit\ndef {name}({parameters}, dtype: tl.constexpr):\n"
        f'    """{summary}"""\n{held}{body}'
    )
    return name, text


_LIMITS = """\
    most: tl.constexpr = 2 ** (dtype.primitive_bitwidth - 1) - 1
    least: tl.constexpr = -most - 1
"""

SCALAR_PRELUDE: dict[str, str] = dict(
    (
        _helper(
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
        _helper(
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
        _helper(
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
        _helper(
            "_clamp_number",
            "x, low, high",
            "`x` held between `low` and `high`; NaN stays.",
            "    return tl.where(x < low, low, tl.where(x > high, high, x)).to(dtype)\n",
        ),
        _helper(
            "_distance",
            "x, y",
            "`|x - y|`, of which the bits are those of the unsigned result.",
            "    return tl.maximum(x, y) - tl.minimum(x, y)\n",
        ),
        _helper(
            "_signum",
            "x",
            "-1, 0 or 1.",
            "    return tl.cast(x > 0, dtype) - tl.cast(x < 0, dtype)\n",
        ),
        _helper("_is_nan", "x", "Whether `x` is NaN.", "    return x != x\n"),
        _helper(
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
        _helper(
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
        _helper(
            "_rem_euclid",
            "x, y",
            "The remainder of `x / y` that is not negative.",
            """\
    rest = x % y
    return tl.where(rest < 0, tl.where(y < 0, rest - y, rest + y), rest)
""",
        ),
        _helper(
            "_div_euclid",
            "x, y",
            "The quotient of `x / y` that leaves a remainder that is not negative.",
            """\
    step = tl.cast(x % y < 0, dtype)
    return x // y - tl.where(y > 0, step, 0 - step)
""",
        ),
        _helper(
            "_div_euclid_real",
            "x, y",
            "The quotient of `x / y` that leaves a remainder that is not negative.",
            """\
    whole = _truncate(x / y, dtype)
    return tl.where(x % y < 0.0, tl.where(y > 0.0, whole - 1.0, whole + 1.0), whole)
""",
        ),
        _helper(
            "_div_ceil",
            "x, y",
            "`x / y`, rounded up.",
            "    return x // y + tl.cast(x % y != 0, dtype)\n",
        ),
        _helper(
            "_next_multiple",
            "x, y",
            "The smallest multiple of `y` that is at least `x`.",
            "    return x + (y - x % y) % y\n",
        ),
        _helper(
            "_is_power_of_two",
            "x",
            "Whether `x` has one bit set.",
            "    return (x != 0) & ((x & (x - 1)) == 0)\n",
        ),
        _helper(
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
        _helper(
            "_count_zeros",
            "x",
            "The number of bits not set.",
            "    return dtype.primitive_bitwidth - _count_ones(x, dtype)\n",
        ),
        _helper(
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
        _helper(
            "_trailing_zeros",
            "x",
            "The number of zero bits below the lowest bit set.",
            "    return _count_ones((x & (0 - x)) - 1, dtype)\n",
        ),
        _helper(
            "_square_root",
            "x",
            "The square root, rounded to nearest.",
            "    return tl.sqrt_rn(x) if dtype == tl.float32 else tl.sqrt(x)\n",
        ),
        _helper(
            "_truncate",
            "x",
            "`x` rounded toward zero.",
            "    return tl.where(x < 0.0, tl.ceil(x), tl.floor(x))\n",
        ),
        _helper(
            "_round_away",
            "x",
            "`x` rounded to nearest, halves away from zero.",
            """\
    whole = _truncate(x, dtype)
    step = tl.where(x < 0.0, whole - 1.0, whole + 1.0)
    return tl.where(tl.abs(x - whole) >= 0.5, step, whole)
""",
        ),
        _helper(
            "_fraction",
            "x",
            "`x` without its integer part.",
            "    return x - _truncate(x, dtype)\n",
        ),
        _helper(
            "_is_sign_negative",
            "x",
            "Whether the sign bit is set.",
            """\
    bits: tl.constexpr = tl.int32 if dtype.primitive_bitwidth == 32 else tl.int64
    return x.to(bits, bitcast=True) < 0
""",
        ),
        _helper(
            "_copy_sign",
            "x, y",
            "The size of `x` with the sign of `y`.",
            "    return tl.where(_is_sign_negative(y, dtype), tl.abs(x) * -1.0, tl.abs(x))\n",
        ),
        _helper(
            "_sign",
            "x",
            "1 or -1 by the sign bit; NaN of NaN.",
            "    one = tl.where(_is_sign_negative(x, dtype), -1.0, 1.0).to(dtype)\n"
            "    return tl.where(x != x, x, one)\n",
        ),
    )
)
