"""The functions that generated modules define for themselves, each only where it is used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.target.memory_prelude import MEMORY_PRELUDE
from transpiler.target.op_prelude import OP_PRELUDE
from transpiler.target.scalar_prelude import SCALAR_PRELUDE

if TYPE_CHECKING:
    from collections.abc import Iterable

REQUIRE_DTYPE = "_require_dtype"
DIVIDE = "_divide"
INVERT = "_invert"
FROM_F64 = "_from_f64"
TO_INTEGER = "_to_integer"

PRELUDE: dict[str, str] = {
    REQUIRE_DTYPE: '''\
@triton.jit
def _require_dtype(pointers, dtype: tl.constexpr):
    """Refuses at compile time pointers to elements of another dtype than `dtype`."""
    for i in tl.static_range(len(pointers)):
        tl.static_assert(
            pointers[i].dtype.element_ty == dtype,
            "a pointer's elements are not of the dtype this kernel is specialised for",
        )
''',
    DIVIDE: '''\
@triton.jit
def _divide(x, y, dtype: tl.constexpr):
    """`x / y` in `dtype`: the quotient of integers is truncated."""
    return x / y if dtype.is_floating() else x // y
''',
    INVERT: '''\
@triton.jit
def _invert(x):
    """The bits of `x` inverted; Triton 3.4 to 3.6 interpret no `~` of unsigned integers."""
    return ~x if x.dtype.is_int_signed() else 0 - x - 1
''',
    FROM_F64: '''\
@triton.jit
def _from_f64(x, dtype: tl.constexpr):
    """`x` in `dtype`: for integers rounded toward zero and held in range, NaN as 0."""
    wide = tl.full([], x, tl.float64)
    return wide.to(dtype) if dtype.is_floating() else _to_integer(wide, dtype)
''',
    "_maximum": '''\
@triton.jit
def _maximum(x, y):
    """The larger of `x` and `y`; NaN where one of them is NaN."""
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
''',
    "_minimum": '''\
@triton.jit
def _minimum(x, y):
    """The smaller of `x` and `y`; NaN where one of them is NaN."""
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
''',
    TO_INTEGER: '''\
@triton.jit
def _to_integer(x, dtype: tl.constexpr):
    """Rounds `x` toward zero; what `dtype` cannot hold becomes its nearest value, and NaN 0."""
    bits: tl.constexpr = dtype.primitive_bitwidth
    if dtype.is_int_signed():
        least: tl.constexpr = -(2 ** (bits - 1))
        most: tl.constexpr = 2 ** (bits - 1) - 1
    else:
        least: tl.constexpr = 0
        most: tl.constexpr = 2**bits - 1
    above: tl.constexpr = 2.0 ** (bits - 1) if dtype.is_int_signed() else 2.0**bits
    below: tl.constexpr = -above if dtype.is_int_signed() else 0.0
    inside = tl.where((x >= below) & (x < above), x, 0.0).to(dtype)
    high = tl.where(x >= above, tl.full([], most, dtype), inside)
    return tl.where(x < below, tl.full([], least, dtype), high)
''',
    **SCALAR_PRELUDE,
    **OP_PRELUDE,
    **MEMORY_PRELUDE,
}

_HELPER = re.compile(r"\b_[A-Za-z]\w*")


def helpers_for(names: Iterable[str]) -> tuple[str, ...]:
    """The helpers among `names` and those they use, in the order of the table."""
    wanted: set[str] = set()
    pending = [name for name in names if name in PRELUDE]
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending += [used for used in _HELPER.findall(PRELUDE[name]) if used in PRELUDE]
    return tuple(name for name in PRELUDE if name in wanted)
