"""Methods of Rust's scalars: one row a method and kind of receiver.

The spellings follow the conventions of `transpiler.ops.model.Op`; `D` stands for the receiver's dtype. Meaning is
that of Rust's standard library without overflow checks: integers wrap, `f32::max` ignores NaN, `round` goes away from
zero.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.types import Bound, DType, DtypeParameter
from transpiler.ops.model import (
    Op,
    RangeClamped,
    RangeLargest,
    RangeMagnitude,
    RangeRoundedUp,
    RangeSmallest,
    RangeWithin,
)

if TYPE_CHECKING:
    from transpiler.ops.model import RangeRule

FAMILY = "scalar"


class Receiver(Enum):
    """Which scalars have a method."""

    INTEGER = "integers"
    SIGNED = "signed integers"
    UNSIGNED = "unsigned integers"
    FLOAT = "floats"
    NUMBER = "numbers"

    def admits(self, dtype: DType | DtypeParameter) -> bool:
        """Whether scalars of the dtype have the method, whichever dtype a parameter stands for."""
        match self:
            case Receiver.FLOAT:
                return dtype.is_float
            case Receiver.INTEGER:
                return dtype.is_integer
            case Receiver.SIGNED:
                return isinstance(dtype, DType) and dtype.is_signed
            case Receiver.UNSIGNED:
                return isinstance(dtype, DType) and dtype.is_integer and not dtype.is_signed
            case Receiver.NUMBER:
                return isinstance(dtype, DtypeParameter) and dtype.bound is Bound.NUM


class Operand(Enum):
    """The dtype of an argument or of the result."""

    SELF = "D"
    BOOL = "bool"
    I32 = "i32"
    U32 = "u32"
    UNSIGNED = "unsigned"
    """The unsigned integer of the receiver's width, of which Triton computes the bits in the receiver's dtype."""
    BITS = "bits"
    """The unsigned integer of the receiver's width."""
    SIGNED = "signed"
    """The signed integer of the receiver's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarMethod:
    """One method.

    `parameters` come after the receiver, which is `x` in the spellings; the others are `y` and `z`. `constant` is the
    spelling between Python's integers, where the value is needed at compile time; empty where there is none.
    """

    name: str
    receiver: Receiver
    parameters: tuple[Operand, ...]
    result: Operand
    triton: str
    constant: str = ""

    @property
    def at_run_time(self) -> Op:
        """The operation on values of Triton."""
        return _op(self.name, len(self.parameters), self.triton, is_kept=bool(self.constant))

    @property
    def at_compile_time(self) -> Op | None:
        """The operation on integers known at compile time."""
        if not self.constant:
            return None
        return _op(self.name, len(self.parameters), self.constant, is_kept=True)


_RANGES: dict[str, RangeRule] = {
    "max": RangeLargest(parameters=("x", "y")),
    "min": RangeSmallest(parameters=("x", "y")),
    "clamp": RangeClamped(parameters=("x", "y", "z")),
    "abs": RangeMagnitude(parameter="x"),
    "wrapping_abs": RangeMagnitude(parameter="x"),
    "rem_euclid": RangeWithin(low=0),
    "div_ceil": RangeRoundedUp(parameters=("x", "y")),
    "signum": RangeWithin(low=-1, high=1),
}
"""Of methods of integers: where the result lies."""

_ANY_WIDTH = frozenset({"max", "min", "clamp", "abs", "pow", "signum", "rem_euclid", "div_euclid"})
"""The methods of signed integers that give the same number in 32 bits and in 64."""


@cache
def _op(name: str, parameters: int, triton: str, *, is_kept: bool) -> Op:
    names = ", ".join(f"{it}: D" for it in ("x", "y", "z")[: 1 + parameters])
    return Op(
        name=name,
        family=FAMILY,
        signature=f"<D: Dtype>({names}) -> D",
        triton=triton,
        summary="A method of a scalar.",
        keeps_constants=is_kept,
        range=_RANGES.get(name),
        any_width=name in _ANY_WIDTH,
    )


def _rows(
    receiver: Receiver, *rows: tuple[str, tuple[Operand, ...], Operand, str, str]
) -> tuple[ScalarMethod, ...]:
    return tuple(
        ScalarMethod(
            name=name,
            receiver=receiver,
            parameters=parameters,
            result=result,
            triton=triton,
            constant=constant,
        )
        for name, parameters, result, triton, constant in rows
    )


_SELF, _BOOL, _I32, _U32, _UNSIGNED, _BITS, _SIGNED = Operand
_NONE: tuple[Operand, ...] = ()
_ONE, _TWO = (_SELF,), (_SELF, _SELF)
_SIZE = "(y if y > 0 else -y)"

SCALAR_METHODS: tuple[ScalarMethod, ...] = (
    *_rows(
        Receiver.INTEGER,
        ("max", _ONE, _SELF, "tl.maximum(x, y)", "x if x > y else y"),
        ("min", _ONE, _SELF, "tl.minimum(x, y)", "x if x < y else y"),
        (
            "clamp",
            _TWO,
            _SELF,
            "tl.minimum(tl.maximum(x, y), z)",
            "y if x < y else z if x > z else x",
        ),
        ("rotate_left", (_U32,), _SELF, "_rotate_left(x, y, D)", ""),
        ("rotate_right", (_U32,), _SELF, "_rotate_right(x, y, D)", ""),
        ("swap_bytes", _NONE, _SELF, "_swap_bytes(x, D)", ""),
        ("reverse_bits", _NONE, _SELF, "_reverse_bits(x, D)", ""),
        ("isqrt", _NONE, _SELF, "_integer_root(x, D)", ""),
        ("ilog2", _NONE, _U32, "_integer_logarithm(x, 2, D)", ""),
        ("ilog10", _NONE, _U32, "_integer_logarithm(x, 10, D)", ""),
        ("ilog", _ONE, _U32, "_integer_logarithm(x, y, D)", ""),
        ("saturating_mul", _ONE, _SELF, "_saturating_mul(x, y, D)", ""),
        ("saturating_pow", (_U32,), _SELF, "_saturating_power(x, y, D)", ""),
        ("leading_ones", _NONE, _U32, "_leading_ones(x, D)", ""),
        ("trailing_ones", _NONE, _U32, "_trailing_ones(x, D)", ""),
        ("pow", (_U32,), _SELF, "_power(x, y, D)", ""),
        ("wrapping_pow", (_U32,), _SELF, "_power(x, y, D)", ""),
        ("abs_diff", _ONE, _UNSIGNED, "_distance(x, y, D)", ""),
        ("saturating_add", _ONE, _SELF, "_saturating_add(x, y, D)", ""),
        ("saturating_sub", _ONE, _SELF, "_saturating_sub(x, y, D)", ""),
        ("rem_euclid", _ONE, _SELF, "_rem_euclid(x, y, D)", f"x % {_SIZE}"),
        ("div_euclid", _ONE, _SELF, "_div_euclid(x, y, D)", f"(x - x % {_SIZE}) // y"),
        ("count_ones", _NONE, _U32, "_count_ones(x, D)", ""),
        ("count_zeros", _NONE, _U32, "_count_zeros(x, D)", ""),
        ("leading_zeros", _NONE, _U32, "_leading_zeros(x, D)", ""),
        ("trailing_zeros", _NONE, _U32, "_trailing_zeros(x, D)", ""),
    ),
    *_rows(
        Receiver.SIGNED,
        ("abs", _NONE, _SELF, "tl.abs(x)", "x if x >= 0 else -x"),
        ("wrapping_abs", _NONE, _SELF, "tl.abs(x)", ""),
        ("saturating_abs", _NONE, _SELF, "_saturating_abs(x, D)", ""),
        ("saturating_neg", _NONE, _SELF, "_saturating_sub(0, x, D)", ""),
        ("unsigned_abs", _NONE, _UNSIGNED, "tl.abs(x)", ""),
        (
            "signum",
            _NONE,
            _SELF,
            "_signum(x, D)",
            "1 if x > 0 else -1 if x < 0 else 0",
        ),
        ("is_positive", _NONE, _BOOL, "x > 0", "x > 0"),
        ("is_negative", _NONE, _BOOL, "x < 0", "x < 0"),
    ),
    *_rows(
        Receiver.UNSIGNED,
        ("div_ceil", _ONE, _SELF, "_div_ceil(x, y, D)", "(x + y - 1) // y"),
        ("next_multiple_of", _ONE, _SELF, "_next_multiple(x, y, D)", "(x + y - 1) // y * y"),
        ("wrapping_neg", _NONE, _SELF, "_negated(x, D)", ""),
        ("wrapping_add_signed", (_SIGNED,), _SELF, "_wrapping_sum(x, y, D)", ""),
        ("next_power_of_two", _NONE, _SELF, "_next_power_of_two(x, D)", ""),
        ("is_power_of_two", _NONE, _BOOL, "_is_power_of_two(x, D)", "x > 0 and x & (x - 1) == 0"),
    ),
    *_rows(
        Receiver.FLOAT,
        ("max", _ONE, _SELF, "tl.maximum(x, y)", ""),
        ("min", _ONE, _SELF, "tl.minimum(x, y)", ""),
        ("clamp", _TWO, _SELF, "_clamp_number(x, y, z, D)", ""),
        ("abs", _NONE, _SELF, "tl.abs(x)", ""),
        ("sqrt", _NONE, _SELF, "_square_root(x, D)", ""),
        ("exp", _NONE, _SELF, "tl.exp(x)", ""),
        ("exp2", _NONE, _SELF, "tl.exp2(x)", ""),
        ("ln", _NONE, _SELF, "tl.log(x)", ""),
        ("log2", _NONE, _SELF, "tl.log2(x)", ""),
        ("log10", _NONE, _SELF, "_logarithm(x, 10.0, D)", ""),
        ("log", _ONE, _SELF, "_logarithm(x, y, D)", ""),
        ("ln_1p", _NONE, _SELF, "_log_plus_one(x, D)", ""),
        ("exp_m1", _NONE, _SELF, "_exp_minus_one(x, D)", ""),
        ("cbrt", _NONE, _SELF, "_cube_root(x, D)", ""),
        ("hypot", _ONE, _SELF, "_hypotenuse(x, y, D)", ""),
        ("tan", _NONE, _SELF, "_tangent(x, D)", ""),
        ("sinh", _NONE, _SELF, "_hyperbolic_sine(x, D)", ""),
        ("cosh", _NONE, _SELF, "_hyperbolic_cosine(x, D)", ""),
        ("tanh", _NONE, _SELF, "_hyperbolic_tangent(x, D)", ""),
        ("asin", _NONE, _SELF, "_arc_sine(x, D)", ""),
        ("acos", _NONE, _SELF, "_arc_cosine(x, D)", ""),
        ("atan", _NONE, _SELF, "_arc_tangent(x, D)", ""),
        ("atan2", _ONE, _SELF, "_angle(x, y, D)", ""),
        ("sin", _NONE, _SELF, "tl.sin(x)", ""),
        ("cos", _NONE, _SELF, "tl.cos(x)", ""),
        ("floor", _NONE, _SELF, "tl.floor(x)", ""),
        ("ceil", _NONE, _SELF, "tl.ceil(x)", ""),
        ("trunc", _NONE, _SELF, "_truncate(x, D)", ""),
        ("round", _NONE, _SELF, "_round_away(x, D)", ""),
        ("round_ties_even", _NONE, _SELF, "_round_even(x, D)", ""),
        ("fract", _NONE, _SELF, "_fraction(x, D)", ""),
        ("powi", (_I32,), _SELF, "_power_signed(x, y, D)", ""),
        ("powf", _ONE, _SELF, "_power_real(x, y, D)", ""),
        ("recip", _NONE, _SELF, "1.0 / x", ""),
        ("mul_add", _TWO, _SELF, "tl.fma(x, y, z)", ""),
        ("rem_euclid", _ONE, _SELF, "_rem_euclid(x, y, D)", ""),
        ("div_euclid", _ONE, _SELF, "_div_euclid_real(x, y, D)", ""),
        ("signum", _NONE, _SELF, "_sign(x, D)", ""),
        ("copysign", _ONE, _SELF, "_copy_sign(x, y, D)", ""),
        ("is_nan", _NONE, _BOOL, "_is_nan(x, D)", ""),
        ("is_finite", _NONE, _BOOL, 'tl.abs(x) < float("inf")', ""),
        ("is_infinite", _NONE, _BOOL, 'tl.abs(x) == float("inf")', ""),
        ("is_normal", _NONE, _BOOL, "_is_normal(x, D)", ""),
        ("is_subnormal", _NONE, _BOOL, "_is_subnormal(x, D)", ""),
        ("to_bits", _NONE, _BITS, "_to_bits(x, D)", ""),
        ("is_sign_negative", _NONE, _BOOL, "_is_sign_negative(x, D)", ""),
        ("is_sign_positive", _NONE, _BOOL, "not _is_sign_negative(x, D)", ""),
        ("to_radians", _NONE, _SELF, "x * 0.017453292519943295", ""),
        ("to_degrees", _NONE, _SELF, "x * 57.29577951308232", ""),
    ),
)

SHARED_METHODS = _rows(
    Receiver.NUMBER,
    ("max", _ONE, _SELF, "tl.maximum(x, y)", ""),
    ("min", _ONE, _SELF, "tl.minimum(x, y)", ""),
    ("abs", _NONE, _SELF, "tl.abs(x)", ""),
)
"""Methods that print the same for integers and floats: those of a dtype parameter that may be either."""

FROM_BITS = ScalarMethod(
    name="from_bits",
    receiver=Receiver.FLOAT,
    parameters=(),
    result=_SELF,
    triton="_from_bits(x, D)",
)
"""`f32::from_bits(n)`, whose argument is an unsigned integer."""

WRAPPING = {
    "wrapping_add": "+",
    "wrapping_sub": "-",
    "wrapping_mul": "*",
    "wrapping_div": "/",
    "wrapping_rem": "%",
    "wrapping_shl": "<<",
    "wrapping_shr": ">>",
}
"""Methods of integers that are operators without overflow checks, which kernels have none of."""


OVERFLOWING = {
    "overflowing_add": ("+", "_add_overflows"),
    "overflowing_sub": ("-", "_sub_overflows"),
    "overflowing_mul": ("*", "_mul_overflows"),
}
"""Methods of integers that give an operator's result and whether it wrapped around."""

ALIASES = {"wrapping_div_euclid": "div_euclid", "wrapping_rem_euclid": "rem_euclid"}
"""Methods that differ from others in overflow checks alone."""


def scalar_method(name: str, dtype: DType | DtypeParameter) -> ScalarMethod | None:
    """The method of that name of scalars of `dtype`."""
    name = ALIASES.get(name, name)
    for method in (*SCALAR_METHODS, *SHARED_METHODS):
        if method.name == name and method.receiver.admits(dtype):
            return method
    return None


def overflow_test(name: str) -> Op:
    """The operation that tells whether an operator wraps around."""
    return _op(name, 1, f"{OVERFLOWING[name][1]}(x, y, D)", is_kept=False)


def method_names(dtype: DType | DtypeParameter) -> tuple[str, ...]:
    """The names of all methods of scalars of `dtype`."""
    rows = (*SCALAR_METHODS, *SHARED_METHODS)
    names = dict.fromkeys(method.name for method in rows if method.receiver.admits(dtype))
    if not dtype.is_integer:
        return tuple(names)
    return tuple(dict.fromkeys((*names, *WRAPPING, "wrapping_neg", *OVERFLOWING, *ALIASES)))
