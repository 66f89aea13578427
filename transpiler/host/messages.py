"""Calls of the file's own functions, and the macros that stop a program or make a text, in host code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.host.patterns import Patterns
from transpiler.host.types import (
    BOOL,
    NEVER,
    TEXT,
    UNIT,
    USIZE,
    HostError,
    HostType,
    NeedsStatementsError,
    Sequence,
    resolved,
)
from transpiler.host.values import Origin, Value, call, negated
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA
from transpiler.target.model import (
    Attribute,
    Call,
    Expression,
    If,
    Keyword,
    Name,
    Operator,
    Raise,
    Suite,
    Text,
)

if TYPE_CHECKING:
    from transpiler.host.surroundings import Routine
    from transpiler.ir import nodes as ir
    from transpiler.source import Span
    from transpiler.syntax.base import Trivia
    from transpiler.target.model import Statement

PANICS = frozenset({"panic", "unreachable", "todo", "unimplemented"})
_ASSERTIONS = frozenset({"assert", "debug_assert"})
_EQUALITIES = {
    "assert_eq": Operator.NOT_EQUAL,
    "debug_assert_eq": Operator.NOT_EQUAL,
    "assert_ne": Operator.EQUAL,
    "debug_assert_ne": Operator.EQUAL,
}
_SILENT = frozenset({"println", "eprintln", "print", "eprint", "debug", "trace", "info", "warn"})
_HOLE = r"\{(\w*)((?::[^}]*)?)\}"
_DEFAULTS: dict[str, HostType] = {
    "n_launches": USIZE,
    "n_backward_launches": USIZE,
    "has_backward": BOOL,
    "forward_output_row_elems": USIZE,
    "forward_output_row_stride": USIZE,
    "backward_grad_output_row_stride": USIZE,
}
"""The methods of the trait that are there without being written."""

ROLES = frozenset({"inputs", "params", "output", "grad_output", "grad_inputs", "grad_params"})


class Messages(Patterns):
    """Lowers calls and macros."""

    result: HostType = UNIT
    last_call: tuple[Routine, tuple[Value, ...]] | None = None
    """The function that was called last, and with what."""

    # --- Calls ------------------------------------------------------------------------------------

    def is_self(self, node: syntax.Expression) -> bool:
        """Whether it is `self`."""
        return isinstance(node, syntax.PathExpression) and node.path.identifier == "self"

    def launcher(self, kernel: ir.Kernel) -> str:
        """The name of a kernel's launcher class."""
        return self.owner.struct_of(kernel)

    def field_name(self, name: str) -> str:
        """The name of a field in Python: a method may have it, or the base class."""
        return self.owner.python_field(name)

    def default_method(self, node: syntax.MethodCall) -> Value | None:
        """A method that the trait gives."""
        type_ = _DEFAULTS.get(node.method)
        if type_ is None:
            return None
        given = tuple(self.plain(self.value(each), each.span) for each in node.arguments)
        whole = Call(Attribute(Name("self"), node.method), given)
        return Value(type=type_, expression=whole, low=self.least(type_))

    def called(
        self,
        routine: Routine,
        arguments: tuple[syntax.Expression, ...],
        span: Span,
        *,
        receiver: Expression | None = None,
    ) -> Value:
        """A call of a function of the file."""
        name = routine.function.name
        if routine.takes_self and len(arguments) == len(routine.parameters) + 1:
            arguments = arguments[1:]  # `Self::method(self, …)`
        if len(arguments) != len(routine.parameters):
            raise HostError(span, f"`{name}` with these arguments", "pass what it takes")
        given: list[Expression] = []
        values: list[Value] = []
        for index, (argument, type_) in enumerate(zip(arguments, routine.parameters, strict=True)):
            if index == routine.visitor:
                continue
            value = self.value(argument, type_)
            self.same(value.type, type_, argument.span)
            values.append(value)
            given.append(self.plain(value, argument.span))
        self.last_call = (routine, tuple(values))
        if name in self.owner.routines and self.owner.routines[name] is routine:
            self.methods_called.add(name)
            method = self.owner.python_method(name)
            function: Expression = Attribute(receiver or Name(self.owner.name), method)
        else:
            python = self.owner.name_of(routine.function)
            self.functions_called[python] = routine
            function = Name(python)
        return Value(
            type=routine.result,
            expression=Call(function, tuple(given)),
            low=self.least(routine.result),
        )

    def role(self, index: int, type_: HostType, names: tuple[str, ...]) -> frozenset[Origin]:
        """What a parameter of a method of the trait points to."""
        name = names[index] if index < len(names) else ""
        if name not in ROLES:
            return frozenset()
        return frozenset({Origin(name, None if isinstance(type_, Sequence) else 0)})

    # --- Macros -----------------------------------------------------------------------------------

    def is_message(self, node: syntax.MacroCall) -> bool:
        """Whether a macro is a statement whatever it gives."""
        name = node.path.names[-1]
        return name in PANICS or name in _ASSERTIONS or name in _EQUALITIES or name in _SILENT

    def macro(self, node: syntax.MacroCall) -> Value:
        """A macro as a value."""
        name = node.path.names[-1]
        if name == "format":
            return Value(type=TEXT, expression=self._text(node.arguments, node.span))
        if name in PANICS:
            if self.pure:
                raise NeedsStatementsError(node.span, f"`{name}!` in a value here", "use `let`")
            self.message_statement(node, NO_TRIVIA)
            return Value(type=NEVER)
        raise HostError(node.span, f"the macro `{name}!`", "write what it makes")

    def message_statement(self, node: syntax.MacroCall, trivia: Trivia) -> None:
        """A macro as a statement."""
        name = node.path.names[-1]
        arguments = node.arguments
        if name in _SILENT:
            return
        if name in PANICS:
            default = "not implemented" if name in {"todo", "unimplemented"} else "it cannot be"
            self.put(self._raise("RuntimeError", arguments, default, node.span), node.span, trivia)
            return
        if name in _ASSERTIONS and arguments:
            condition = self.value(arguments[0], BOOL)
            self.same(condition.type, BOOL, node.span)
            fails, rest = self.opposite(condition), arguments[1:]
        elif name in _EQUALITIES and len(arguments) >= 2:
            operator = syntax.BinaryOperator.EQUAL
            equal = self.binary(
                syntax.Binary(
                    span=node.span, operator=operator, left=arguments[0], right=arguments[1]
                ),
                None,
            )
            fails = equal.expression
            if _EQUALITIES[name] is Operator.NOT_EQUAL:
                fails = negated(fails)
            rest = arguments[2:]
        else:
            value = self.macro(node)
            del value
            return
        written = self.owner.source.slice(node.span)
        raised = self._raise("AssertionError", rest, " ".join(written.split()), node.span)
        body = Suite(statements=(raised,))
        self.put(If(condition=fails, body=body), node.span, trivia)

    def put(self, statement: Statement, span: Span, trivia: Trivia) -> None:
        """Add a statement with what stands around it in the Rust."""
        raise NotImplementedError

    def _raise(
        self, error: str, arguments: tuple[syntax.Expression, ...], default: str, span: Span
    ) -> Raise:
        text = self._text(arguments, span) if arguments else Text(default)
        return Raise(value=call(error, text), span=span)

    def _text(self, arguments: tuple[syntax.Expression, ...], span: Span) -> Expression:
        if not arguments:
            raise HostError(span, "a text of these arguments", "begin with a string")
        first = self.value(arguments[0])
        if not isinstance(first.expression, Text) or resolved(first.type) != TEXT:
            raise HostError(span, "a text that begins so", "begin with a string")
        holes = re.findall(_HOLE, first.expression.value)
        given = tuple(self.plain(self.value(each), each.span) for each in arguments[1:])
        names = [name for name, _ in holes if name and not name.isdigit()]
        keywords = []
        for name in dict.fromkeys(names):
            local = self.local(name)
            if local is None:
                raise HostError(span, f"the name `{name}` in a text", "name a variable")
            keywords.append(Keyword(name, self.plain(local.value, span)))
        plain = re.sub(_HOLE, r"{\1}", first.expression.value)
        if not holes:
            return Text(plain.replace("{{", "{").replace("}}", "}"))
        return Call(Attribute(Text(plain), "format"), given, tuple(keywords))
