"""Expressions of Rust that no kernel can hold, by their names, and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.passes.elaboration import Elaboration

_UNSUPPORTED = {
    syntax.Index: ("indexing", None),
    syntax.Array: ("an array as a value", "arrays are written in place, as in `&[BLOCK, 1]`"),
    syntax.ArrayRepeat: ("an array as a value", None),
    syntax.Range: ("a range as a value", "ranges stand in the head of a `for` loop"),
    syntax.Reference: ("a reference to a value", "references are written for lists only: `&[…]`"),
    syntax.LetCondition: ("a `let` among other conditions", "write one `if let` inside another"),
    syntax.Closure: ("a closure", "write the computation out"),
    syntax.StructLiteral: ("a struct", "use separate variables, or a tuple"),
    syntax.Try: ("`?`", "kernels have no `Result`"),
    syntax.TextLiteral: ("a string or character as a value", None),
}


def outside_kernels(state: Elaboration, node: syntax.Expression) -> ir.Expression:
    """Refuse an expression by its name."""
    construct, instead = _UNSUPPORTED[type(node)]
    return state.unsupported(construct, node.span, instead=instead)
