"""The functions that translated host code calls where Python's operators are not those of Rust."""

from __future__ import annotations

SUPPORT = {
    "_quotient": '''def _quotient(a: int, b: int) -> int:
    """`a / b` of integers as in Rust, towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient
''',
    "_remainder": '''def _remainder(a: int, b: int) -> int:
    """`a % b` of integers as in Rust, with the sign of `a`."""
    return abs(a) % abs(b) if a >= 0 else -(abs(a) % abs(b))
''',
    "_ilog2": '''def _ilog2(value: int) -> int:
    """The logarithm to base 2, rounded down.

    Raises:
        ValueError: the value is not positive.
    """
    if value < 1:
        raise ValueError(f"the logarithm of {value}")
    return value.bit_length() - 1
''',
    "_single": '''def _single(value: float) -> float:
    """The number in the precision of `f32`, in which the Rust computes."""
    return ctypes.c_float(float(value)).value
''',
    "_unsigned": '''def _unsigned(value: int) -> int:
    """A size of the Rust, which is never negative.

    Raises:
        OverflowError: it is.
    """
    if value < 0:
        raise OverflowError(f"a size is {value}")
    return value
''',
    "_unwrap": '''def _unwrap(value: Any, message: str = "a value is missing") -> Any:
    """The value of an option.

    Raises:
        RuntimeError: there is none.
    """
    if value is None:
        raise RuntimeError(message)
    return value
''',
}
