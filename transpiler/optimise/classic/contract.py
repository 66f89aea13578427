"""Contraction of `a * b + c`: a remark alone, since writing `tl.fma` would change how results are rounded.

Triton lets the backend contract by default (`enable_fp_fusion`), and the launchers keep that default. The backend
contracts where the product is used once and in the same block, on its own target, after it has moved and shared what it
could. `tl.fma` would ask for one rounding everywhere: also where the product is used a second time with a rounding of
its own, also where whoever launches has turned contraction off to get the numbers of the Rust, and not in Triton's
interpreter, which rounds the product. Of the three, the second and the third change results against the kernel as
written, and the first does where the backend would not have contracted. So no case is left in which the text can be
better than the default and give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.values import is_float
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_block
from transpiler.optimise.flags import CONTRACT

if TYPE_CHECKING:
    from transpiler.optimise.classic.context import ClassicContext

_SUMS = frozenset({ir.BinaryOperator.ADD, ir.BinaryOperator.SUBTRACT})
_LEFT_TO_THE_BACKEND = (
    "the backend contracts this where `enable_fp_fusion` lets it, as it does by default; "
    "`tl.fma` would round once also where that is off"
)
_NOTHING_THERE = "it adds nothing to a product of floats"


def contract(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel as it is; a remark for each sum with a product."""
    report = context.report(CONTRACT)
    if not report.is_on:
        return kernel
    for node in walk_block(kernel.body):
        if _is_sum_with_product(node):
            report.missed(_LEFT_TO_THE_BACKEND, node.span)
    report.finish(_NOTHING_THERE, kernel)
    return kernel


def _is_sum_with_product(node: ir.Expression) -> bool:
    return (
        isinstance(node, ir.Binary)
        and node.operator in _SUMS
        and is_float(node)
        and (_is_product(node.left) or _is_product(node.right))
    )


def _is_product(node: ir.Expression) -> bool:
    return isinstance(node, ir.Binary) and node.operator is ir.BinaryOperator.MULTIPLY
