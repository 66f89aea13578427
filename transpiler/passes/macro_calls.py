"""Macro calls that the front end leaves: those of Rust itself, and those that could not be expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.passes.elaboration import near_match

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.passes.elaboration import Elaboration
    from transpiler.syntax import nodes as syntax

_PRINT = 'write `T::device_print("x = ", x, false)` for a tile'
_STOP = "a program on a GPU cannot be stopped; check a condition with `assert!(…)`"
_ARRAY = "a kernel has no heap; make a tile with `T::full`, `T::zeros` or `T::arange`"
_TEXT = "a kernel has no strings to work with"
_FILE = "a kernel is compiled without its file; give the value as a constant"
_INSTEAD = {
    **dict.fromkeys(("print", "println", "eprint", "eprintln", "dbg", "write", "writeln"), _PRINT),
    **dict.fromkeys(("panic", "todo", "unimplemented", "unreachable"), _STOP),
    **dict.fromkeys(("vec",), _ARRAY),
    **dict.fromkeys(("format", "format_args", "concat", "stringify"), _TEXT),
    **dict.fromkeys(("env", "option_env", "include", "include_str", "include_bytes"), _FILE),
    **dict.fromkeys(("line", "column", "file", "module_path"), _FILE),
}
"""What to do instead of the macros of Rust that mean nothing on a GPU."""


def macro_call(state: Elaboration, node: syntax.MacroCall) -> ir.Expression:
    """The value of a macro call that was not expanded."""
    name = node.path.names[-1]
    if node.failure is not None:
        state.sink.emit(node.failure.code, node.failure.message, node.span, help=node.failure.help)
    elif name in _INSTEAD:
        state.sink.emit(
            "E0601", f"`{name}!` is not supported in a kernel", node.span, help=_INSTEAD[name]
        )
    else:
        state.sink.emit(
            "E0123",
            f"cannot find the macro `{name}`",
            node.path.span,
            help=near_match(name, _INSTEAD) or "define it in this file, above the kernel",
        )
    return state.poison(node.span)
