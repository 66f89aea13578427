"""Calls of the methods of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.tree import Hole, Node, Piece
from tests.oracle.values import FLOATS, INTEGERS, NUMBERS, PRIMARY, SIGNED, UNSIGNED

if TYPE_CHECKING:
    from tests.oracle.expressions import Expressions

_TWO_INTEGERS = (
    *("max", "min", "wrapping_add", "wrapping_sub", "wrapping_mul"),
    *("saturating_add", "saturating_sub", "saturating_mul"),
)
_DIVISIONS = ("rem_euclid", "div_euclid", "wrapping_div", "wrapping_rem", "wrapping_rem_euclid")
_UNSIGNED_DIVISIONS = ("div_ceil", "next_multiple_of")
_SIGNED_ALONE = (
    "abs",
    "wrapping_abs",
    "signum",
    "wrapping_neg",
    "saturating_abs",
    "saturating_neg",
)
_ALONE = ("swap_bytes", "reverse_bits")
_OF_A_DISTANCE = ("rotate_left", "rotate_right", "wrapping_shl", "wrapping_shr")
_OVERFLOWING = ("overflowing_add", "overflowing_sub", "overflowing_mul")
_POWERS = ("pow", "wrapping_pow", "saturating_pow")
_COUNTS = (
    *("count_ones", "count_zeros", "leading_zeros", "trailing_zeros"),
    *("leading_ones", "trailing_ones", "ilog2", "ilog10"),
)
_ROUNDINGS = (
    *("abs", "floor", "ceil", "trunc", "round", "round_ties_even"),
    *("sqrt", "fract", "recip", "to_radians"),
)
_TRUTHS = ("is_nan", "is_finite", "is_infinite", "is_normal", "is_subnormal")


def method_call(make: Expressions, dtype: str, depth: int) -> Node:
    """A call of a method that gives `dtype`."""
    if dtype == "bool":
        return _truth(make, depth)
    if dtype in FLOATS:
        return _float(make, dtype, depth)
    return _integer(make, dtype, depth)


def _call(make: Expressions, sort: str, receiver: Node, name: str, *arguments: Node) -> Node:
    """`receiver.name(arguments)`, or `i32::name(receiver, arguments)`."""
    commas: list[Piece] = []
    for argument in arguments:
        commas += [", "] * bool(commas) + [Hole(node=argument)]
    if receiver.sort and make.chance(0.2):
        head: tuple[Piece, ...] = (
            f"{receiver.sort}::{name}(",
            Hole(node=receiver),
            ", " if commas else "",
        )
        return Node(sort=sort, pieces=(*head, *commas, ")"), precedence=PRIMARY)
    held = Hole(node=receiver, level=PRIMARY)
    return Node(sort=sort, pieces=(held, f".{name}(", *commas, ")"), precedence=PRIMARY)


def _integer(make: Expressions, dtype: str, depth: int) -> Node:
    rng = make.rng
    receiver = make.varied(make.expression(dtype, depth - 1))
    choice = rng.random()
    if choice < 0.25:
        return _call(make, dtype, receiver, rng.choice(_TWO_INTEGERS), make.right(dtype, depth))
    if choice < 0.4:
        names = (*_DIVISIONS, *(_UNSIGNED_DIVISIONS if dtype in UNSIGNED else ()))
        return _call(make, dtype, receiver, rng.choice(names), make.divisor(dtype, depth))
    if choice < 0.45:
        exponent = Hole(node=make.variable("u32"), level=8)
        power = Node(sort="", pieces=(exponent, " & 7"), precedence=7)
        return _call(make, dtype, receiver, rng.choice(_POWERS), power)
    if choice < 0.5:
        return _call(make, dtype, receiver, rng.choice(_OF_A_DISTANCE), make.variable("u32"))
    if choice < 0.55:
        low, high = sorted(rng.sample(range(100), 2))
        ends = (Node(sort="", pieces=(str(end),), precedence=PRIMARY) for end in (low, high))
        return _call(make, dtype, receiver, "clamp", *ends)
    if choice < 0.6:
        call = _call(make, "", receiver, rng.choice(_OVERFLOWING), make.right(dtype, depth))
        return Node(sort=dtype, pieces=(Hole(node=call, level=PRIMARY), ".0"), precedence=PRIMARY)
    if choice < 0.75:
        names = (*_ALONE, *(_SIGNED_ALONE if dtype in SIGNED else ("isqrt", "wrapping_neg")))
        return _call(make, dtype, receiver, rng.choice(names))
    if choice < 0.85:
        source = rng.choice(INTEGERS)
        counted = make.varied(make.expression(source, depth - 1))
        count = _call(make, "u32", counted, rng.choice(_COUNTS))
        return count if dtype == "u32" else make.cast(count, dtype)
    if dtype in ("u32", "u64") and choice < 0.88:
        # The sign of NaN is open in Rust, and so are its other bits.
        return _call(make, dtype, _number(make, f"f{dtype[1:]}", depth), "to_bits")
    if dtype in UNSIGNED:
        signed = make.varied(make.expression(f"i{dtype[1:]}", depth - 1))
        if choice < 0.92:
            return _call(make, dtype, signed, "unsigned_abs")
        if choice < 0.95:
            return _call(make, dtype, receiver, "wrapping_add_signed", signed)
        return _call(make, dtype, signed, "abs_diff", make.right(f"i{dtype[1:]}", depth))
    unsigned = f"u{dtype[1:]}"
    own = make.varied(make.expression(unsigned, depth - 1))
    return make.cast(_call(make, unsigned, own, "abs_diff", make.right(unsigned, depth)), dtype)


def _float(make: Expressions, dtype: str, depth: int) -> Node:
    rng = make.rng
    receiver = make.expression(dtype, depth - 1)
    divides_not = "/" not in make.arithmetic(dtype)
    choice = rng.random()
    if choice < 0.25:
        call = _call(make, dtype, receiver, rng.choice(("max", "min")), make.right(dtype, depth))
        # Which zero they give of two is open in Rust; the sum makes it the positive one.
        return Node(sort=dtype, pieces=(Hole(node=call), f" + 0.0_{dtype}"), precedence=9)
    if choice < 0.6:
        names = [name for name in _ROUNDINGS if not (divides_not and name == "recip")]
        return _call(make, dtype, receiver, rng.choice(names))
    if choice < 0.7:
        low, high = sorted(rng.sample(range(-50, 50), 2))
        ends = (
            Node(sort="", pieces=(f"{end}.5",), precedence=PRIMARY if end >= 0 else 12)
            for end in (low, high)
        )
        return _call(make, dtype, receiver, "clamp", *ends)
    if choice < 0.73 and "%" in make.arithmetic(dtype):
        name = rng.choice(("rem_euclid", "div_euclid"))
        return _call(make, dtype, receiver, name, make.right(dtype, depth))
    if choice < 0.76:
        name = rng.choice(("mul_add", "mul_add"))
        return _call(
            make, dtype, receiver, name, make.right(dtype, depth), make.right(dtype, depth)
        )
    if choice < 0.78 and make.chance(0.5):
        pattern = make.variable(f"u{dtype[1:]}")
        head = (f"{dtype}::from_bits(", Hole(node=pattern), ")")
        return Node(sort=dtype, pieces=head, precedence=PRIMARY)
    if choice < 0.82:
        exponent = Node(
            sort="",
            pieces=(str(rng.choice((0, 1, 2, 3, 5) if divides_not else (0, 1, 2, 3, 5, -1, -2))),),
            precedence=12,
        )
        return _call(make, dtype, receiver, "powi", exponent)
    # The sign of NaN is open in Rust, so what only signs tell is asked of numbers.
    number = _number(make, dtype, depth)
    if choice < 0.9:
        return _call(make, dtype, receiver, "copysign", number)
    return _call(make, dtype, number, "signum")


def _number(make: Expressions, dtype: str, depth: int) -> Node:
    """A value that is not NaN: `max` of NaN and a number is the number."""
    value = make.expression(dtype, depth - 1)
    held = Hole(node=value, level=PRIMARY)
    return Node(sort="", pieces=(held, f".max(-1e30_{dtype}) + 0.0_{dtype}"), precedence=9)


def _truth(make: Expressions, depth: int) -> Node:
    rng = make.rng
    dtype = rng.choice(NUMBERS)
    if dtype in FLOATS:
        if make.chance(0.3):
            name = rng.choice(("is_sign_negative", "is_sign_positive"))
            return _call(make, "bool", _number(make, dtype, depth), name)
        return _call(make, "bool", make.expression(dtype, depth - 1), rng.choice(_TRUTHS))
    receiver = make.varied(make.expression(dtype, depth - 1))
    if make.chance(0.3):
        call = _call(make, "", receiver, rng.choice(_OVERFLOWING), make.right(dtype, depth))
        return Node(sort="bool", pieces=(Hole(node=call, level=PRIMARY), ".1"), precedence=PRIMARY)
    if dtype in SIGNED:
        return _call(make, "bool", receiver, rng.choice(("is_positive", "is_negative")))
    return _call(make, "bool", receiver, "is_power_of_two")
