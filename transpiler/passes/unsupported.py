"""Expressions of Rust that no kernel can hold, by their names, and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.passes.elaboration import Elaboration

_UNSUPPORTED = {
    syntax.Assignment: ("an assignment as a value", "`==` compares; an assignment is a statement"),
    syntax.While: ("a loop as a value", "only `loop` gives one, with `break value`"),
    syntax.For: ("a loop as a value", "only `loop` gives one, with `break value`"),
    syntax.Index: (
        "indexing",
        "tiles are read and changed as a whole; one element is loaded from memory",
    ),
    syntax.Unary: ("dereferencing", "there are no references in a kernel: leave out the `*`"),
    syntax.Array: ("an array as a value", "arrays are written in place, as in `&[BLOCK, 1]`"),
    syntax.ArrayRepeat: ("an array as a value", "make a tile: `T::full(&[N], x)`"),
    syntax.Range: ("a range as a value", "ranges stand in the head of a `for` loop"),
    syntax.Reference: (
        "a reference to a value",
        "leave out the `&`: values are passed as they are",
    ),
    syntax.LetCondition: ("a `let` among other conditions", "write one `if let` inside another"),
    syntax.Closure: ("a closure", "write a `fn` above the kernel, and call it"),
    syntax.StructLiteral: ("a struct", "use separate variables, or a tuple"),
    syntax.Try: ("`?`", "kernels have no `Result` and no `Option`"),
    syntax.TextLiteral: (
        "a string or character as a value",
        "text is an argument of `T::device_print` and the like alone",
    ),
}


def outside_kernels(state: Elaboration, node: syntax.Expression) -> ir.Expression:
    """Refuse an expression by its name; a value of a struct that was refused is not told of again."""
    if isinstance(node, syntax.StructLiteral) and node.path.names[-1] in state.refused_structs:
        return state.poison(node.span)
    construct, instead = _UNSUPPORTED[type(node)]
    return state.unsupported(construct, node.span, instead=instead)


def refuse_item(state: Elaboration, item: syntax.Item) -> None:
    """Refuse an item among statements by its name."""
    if isinstance(item, syntax.Struct):
        state.refused_structs.add(item.name)
    instead = "move it out of the kernel, if the host needs it"
    state.unsupported(_item_name(item), item.span, instead=instead)


def _item_name(item: syntax.Item) -> str:
    match item:
        case syntax.Struct(name=name):
            return f"the struct `{name}`"
        case syntax.Impl():
            return "an `impl`"
        case syntax.Module(name=name):
            return f"the module `{name}`"
        case syntax.OpaqueItem(keyword=keyword):
            return f"the macro call `{keyword}`" if keyword.endswith("!") else f"a `{keyword}`"
        case _:
            return "an item"
