"""Macro calls that the front end leaves: those of Rust itself, and those that could not be expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, UNIT
from transpiler.ops.table import OPS
from transpiler.passes.cfg import holds
from transpiler.passes.compile_time import is_compile_time
from transpiler.passes.elaboration import is_poison, near_match
from transpiler.source import Span
from transpiler.syntax import nodes as syntax
from transpiler.syntax.printer import print_expression
from transpiler.syntax.text_literals import text_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.passes.elaboration import Elaboration

_PRINT = 'write `T::device_print("x = ", x, false)` for a tile'
_STOP = "a program on a GPU cannot be stopped; check a condition with `assert!(…)`"
_UNREACHABLE = "it stands for a whole arm of a `match`, or of an `else`: what no value reaches"
_ARRAY = "a kernel has no heap; make a tile with `T::full`, `T::zeros` or `T::arange`"
_TEXT = "a kernel has no strings to work with"
_FILE = "a kernel is compiled without its file; give the value as a constant"
_INSTEAD = {
    **dict.fromkeys(("print", "println", "eprint", "eprintln", "dbg", "write", "writeln"), _PRINT),
    **dict.fromkeys(("panic", "todo", "unimplemented"), _STOP),
    "unreachable": _UNREACHABLE,
    "vec": _ARRAY,
    **dict.fromkeys(("format", "format_args", "concat", "stringify"), _TEXT),
    **dict.fromkeys(("env", "option_env", "include", "include_str", "include_bytes"), _FILE),
    **dict.fromkeys(("line", "column", "file", "module_path"), _FILE),
}
"""What to do instead of the macros of Rust that mean nothing on a GPU."""

_COMPARISONS = {"eq": syntax.BinaryOperator.EQUAL, "ne": syntax.BinaryOperator.NOT_EQUAL}


def macro_call(
    state: Elaboration,
    node: syntax.MacroCall,
    condition: Callable[[syntax.Expression], ir.Expression],
) -> ir.Expression:
    """The value of a macro call that was not expanded; `condition` elaborates one scalar bool."""
    name = node.path.names[-1]
    if node.failure is not None:
        state.sink.emit(node.failure.code, node.failure.message, node.span, help=node.failure.help)
    elif name in _INSTEAD:
        state.unsupported(f"`{name}!`", node.span, instead=_INSTEAD[name])
    elif node.arguments:
        return _assertion(state, node, name, condition)
    elif node.meta is not None:
        value = holds(node.meta, state.features, state.sink)
        return ir.Literal(span=node.span, type=BOOL, value=value)
    else:
        known = (*_INSTEAD, "assert", "assert_eq", "debug_assert", "matches", "cfg")
        state.sink.emit(
            "E0123",
            f"cannot find the macro `{name}`",
            node.path.span,
            help=near_match(name, known) or "define it in this file, above the kernel",
        )
    return state.poison(node.span)


def is_unreachable(node: syntax.Expression | syntax.Block) -> bool:
    """Whether this is `unreachable!()`, alone or in a block of its own."""
    match node:
        case syntax.MacroCall():
            return node.path.names[-1] == "unreachable"
        case syntax.Block(statements=(), tail=tail, label=None, is_unsafe=False):
            return tail is not None and is_unreachable(tail)
        case syntax.Block(
            statements=(syntax.ExpressionStatement(expression=only),), tail=None, is_unsafe=False
        ):
            return is_unreachable(only)
        case _:
            return False


def _assertion(
    state: Elaboration,
    node: syntax.MacroCall,
    name: str,
    condition: Callable[[syntax.Expression], ir.Expression],
) -> ir.Expression:
    """`assert!` and its kin: checked by the compiler where it knows the values, else on the device."""
    tested, *rest = node.arguments
    operator = _COMPARISONS.get(name.removeprefix("debug_").removeprefix("assert_"))
    if operator is not None:
        if not rest:
            state.sink.emit("E0302", f"`{name}!` takes two values", node.span)
            return state.poison(node.span)
        tested = syntax.Binary(
            span=Span(tested.span.start, rest[0].span.end),
            operator=operator,
            left=tested,
            right=rest.pop(0),
        )
    message = f"assertion failed: {' '.join(print_expression(tested).split())}"
    if rest:
        literal = rest[0]
        written = text_value(literal.text) if isinstance(literal, syntax.TextLiteral) else None
        if written is None or len(rest) > 1 or "{" in written.replace("{{", ""):
            state.unsupported(
                f"a message of `{name}!` that is put together",
                rest[-1].span,
                instead="write the message out: a kernel has no strings to work with",
            )
            return state.poison(node.span)
        message = written.replace("{{", "{").replace("}}", "}")
    value = condition(tested)
    if is_poison(value):
        return state.poison(node.span)
    text = ir.TextArgument(span=node.span, value=message)
    arguments: tuple[ir.Argument, ...] = (value, text)
    op = OPS["static_assert"]
    if not is_compile_time(value, state.constants):
        op = OPS["device_assert"]
        arguments = (*arguments, ir.AbsentArgument(span=node.span))
    return ir.OpCall(span=node.span, type=UNIT, op=op, dtypes=(), arguments=arguments)
