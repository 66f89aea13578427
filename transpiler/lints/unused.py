"""Parameters, variables and `mut` that nothing needs, as rustc tells of them.

A const generic is part of what the host names a kernel by, so one that nothing reads is no mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.lints.lint import Subject


def unused(subject: Subject) -> None:
    """Report what is never read, and what is mutable without being assigned."""
    flow = subject.facts.flow
    for symbol in flow.routine.parameters:
        if symbol not in flow.reads and not _is_exempt(symbol):
            subject.sink.emit(
                "W0701",
                f"the parameter `{symbol.name}` is never read",
                symbol.span,
                help=f"if callers have to pass it, call it `_{symbol.name}`",
            )
        _check_mutable(subject, symbol)
    for symbol in flow.lets:
        if symbol in flow.reads:
            _check_mutable(subject, symbol)
        elif not _is_exempt(symbol):
            is_assigned = symbol.is_mutable and symbol in flow.assigned
            subject.sink.emit(
                "W0702",
                f"the variable `{symbol.name}` is {'assigned, but ' if is_assigned else ''}never read",
                symbol.span,
                help=f"take it out, or call it `_{symbol.name}`",
            )


def _check_mutable(subject: Subject, symbol: ir.Symbol) -> None:
    if symbol.is_mutable and symbol not in subject.facts.flow.assigned:
        subject.sink.emit(
            "W0703",
            f"`{symbol.name}` is mutable and never assigned",
            symbol.span,
            help="take out the `mut`",
        )


def _is_exempt(symbol: ir.Symbol) -> bool:
    return symbol.name.startswith("_")
