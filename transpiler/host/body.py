"""Statements and functions of host code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.loops import Loops
from transpiler.host.pushes import NeedsListError
from transpiler.host.types import (
    NEVER,
    UNIT,
    VISITOR,
    HostError,
    HostType,
    NeedsStatementsError,
    Scalar,
    Sequence,
    Structure,
    is_float,
    resolved,
)
from transpiler.host.values import (
    NONE,
    Origin,
    Value,
    call,
)
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA, Trivia
from transpiler.target.model import (
    Assignment,
    Break,
    Continue,
    Evaluation,
    Expression,
    Function,
    List,
    Name,
    Parameter,
    Return,
    Row,
    Rows,
    Starred,
    Suite,
)
from transpiler.target.model import Tuple as TupleDisplay

if TYPE_CHECKING:
    from transpiler.host.surroundings import Implementation, Routine


class Body(Loops):
    """Lowers one function."""

    def __init__(
        self,
        owner: Implementation,
        routine: Routine,
        *,
        has_self: bool,
        origins: tuple[frozenset[Origin], ...] | None = None,
    ) -> None:
        """`origins` are what its arguments point to, where it is lowered for one call."""
        super().__init__(owner, has_self=has_self)
        self.routine = routine
        self.origins = origins

    # --- Statements -------------------------------------------------------------------------------

    def statement(self, statement: syntax.Statement) -> None:
        """Lower a statement."""
        match statement:
            case syntax.Let():
                if self.owner.keeps(statement.attributes):
                    self.let(statement)
            case syntax.ItemStatement(item=syntax.Const() as const):
                value = self._constant(const)
                self.declare(const.name, value)
            case syntax.ItemStatement(item=syntax.Use()):
                pass
            case syntax.ItemStatement():
                raise HostError(statement.span, "an item here", "move it out of the function")
            case syntax.ExpressionStatement():
                if self.owner.keeps(statement.attributes):
                    self.evaluate(statement.expression, statement.trivia)

    def evaluate(  # noqa: C901 - one case a node
        self, node: syntax.Expression, trivia: Trivia
    ) -> None:
        """An expression as a statement."""
        match node:
            case syntax.Parenthesized(inner=inner):
                self.evaluate(inner, trivia)
            case syntax.Assignment():
                self.assign(node, trivia)
            case syntax.If() | syntax.Match() | syntax.Block():
                self.tail(node, None, trivia)
            case syntax.For() | syntax.While() | syntax.Loop():
                self.loop(node, trivia)
            case syntax.Return(value=value):
                if value is None:
                    self.returned(Value(type=UNIT), node, trivia)
                else:
                    self.tail(value, self.returned, trivia)
            case syntax.Break(label=None, value=None):
                self.put(Break(), node.span, trivia)
            case syntax.Continue(label=None):
                self.put(Continue(), node.span, trivia)
            case syntax.Break(label=None, value=value) if value is not None and self.results:
                self.tail(value, self.results[-1], trivia)
                if not isinstance(self.statements[-1], Return):
                    self.put(Break(), node.span, NO_TRIVIA)
            case syntax.Break() | syntax.Continue():
                raise HostError(node.span, "leaving a loop by its label", "use a function")
            case syntax.MacroCall():
                self.message_statement(node, trivia)
            case syntax.MethodCall() if self.is_visit(node):
                self.visit(node, trivia)
            case syntax.MethodCall(method="for_each"):
                self.for_each(node, trivia)
            case syntax.MethodCall() | syntax.Call():
                if any(self.is_visitor(each) for each in node.arguments):
                    self.delegate(node, trivia)
                    return
                given = self.value(node)
                expression = self.plain(given, node.span)
                if expression != NONE:
                    self.put(Evaluation(value=expression), node.span, trivia)
            case _:
                self.value(node)  # it has no effect

    # --- Functions --------------------------------------------------------------------------------

    def returned(self, value: Value, node: syntax.Expression, trivia: Trivia) -> None:
        """Give a value back."""
        if self.visitor is not None and resolved(value.type) == UNIT:
            if self.rows is not None:
                raise NeedsListError
            self.put(Return(value=_tupled(Name("arguments"))), node.span, trivia)
            return
        self.same(value.type, self.result, node.span)
        if resolved(self.result) == UNIT:
            self.put(Return(), node.span, trivia)
            return
        expression = self.plain(value, node.span)
        result = resolved(self.result)
        if isinstance(result, Sequence) and result.is_array and isinstance(expression, List):
            expression = TupleDisplay(expression.elements)
        self.put(Return(value=expression), node.span, trivia)

    def leaving(self, node: syntax.Expression) -> Value:
        """`return` as a value."""
        if self.pure:
            raise NeedsStatementsError(node.span, "`return` in a value here", "use `let … else`")
        self.evaluate(node, NO_TRIVIA)
        return Value(type=NEVER)

    def lower(self, name: str, body: syntax.Block, names: tuple[str, ...]) -> Function:
        """The function in Python; `names` are those of its parameters where the Rust gives them none."""
        with self.owner.within(self.routine.home):
            try:
                return self._lower(name, body, names, as_rows=True)
            except NeedsListError:
                self.scopes, self.statements, self.pushes, self.pure = [{}], [], [], 0
                self.floor = 0
                return self._lower(name, body, names, as_rows=False)

    def _lower(
        self, name: str, body: syntax.Block, names: tuple[str, ...], *, as_rows: bool
    ) -> Function:
        routine = self.routine
        self.result = routine.result
        parameters = [Parameter(name="self")] if self.has_self else []
        if routine.takes_self:
            own = Structure(self.owner.name, is_kernel=self.owner.kernel is not None)
            self.declare("self", Value(type=own, expression=Name("self")))
        given = zip(routine.function.parameters, routine.parameters, strict=True)
        for index, (parameter, type_) in enumerate(given):
            if type_ == VISITOR:
                self.visitor = ""
                if isinstance(parameter.pattern, syntax.IdentifierPattern):
                    self.visitor = parameter.pattern.name
                    self.declare(self.visitor, Value(type=VISITOR, expression=Name("visitor")))
                continue
            value = self._parameter(parameter.pattern, type_, index, names)
            if self.origins is not None:
                origins = self.origins[len(parameters) - int(self.has_self)]
                value = replace(value, origins=origins)
            parameters.append(self._declared(parameter.pattern, value))
        is_list = self.visitor is not None and not as_rows
        self.rows = [] if self.visitor is not None and as_rows else None
        if is_list:
            self.declare(" arguments", Value(type=UNIT, expression=Name("arguments")))
            self.statements.append(
                Assignment(
                    targets=("arguments",),
                    value=List(()),
                    annotation=Name("list[Argument]"),
                )
            )
        deliver = None if resolved(self.result) in {UNIT, NEVER} else self.returned
        comments = self.statements_of(body, deliver)
        if self.rows is not None:
            self.statements.append(Return(value=self._row_tuple(self.rows), span=body.span))
        elif is_list:
            self.statements.append(Return(value=_tupled(Name("arguments"))))
        return Function(
            name=name,
            parameters=tuple(parameters),
            docs=routine.function.head.docs,
            body=Suite(statements=tuple(self.statements), closing_comments=comments),
            span=routine.function.name_span,
            returns=self._returns(),
        )

    def _returns(self) -> Expression | None:
        if self.visitor is not None:
            return None
        match resolved(self.result):
            case Scalar(name="bool"):
                return Name("bool")
            case Scalar(name="str"):
                return Name("str")
            case Scalar(name=name) if name not in {"()", "!"}:
                return Name("float" if is_float(self.result) else "int")
            case _:
                return None

    def _row_tuple(self, rows: list[Row]) -> Expression:
        match rows:
            case [Row(value=Starred(value=value), comments=(), trailing=None)]:
                return value
            case _:
                return Rows(tuple(rows))

    def _parameter(
        self, pattern: syntax.Pattern, type_: HostType, index: int, names: tuple[str, ...]
    ) -> Value:
        """The value of a parameter, by a name of its own."""
        written = pattern.name if isinstance(pattern, syntax.IdentifierPattern) else ""
        name = written.lstrip("_") or (names[index] if index < len(names) else f"value_{index}")
        origins = self.role(index, type_, names)
        return Value(
            type=type_,
            expression=Name(self.fresh(name)),
            low=self.least(type_),
            origins=origins,
            elements=self._members(type_, origins),
        )

    def _members(self, type_: HostType, origins: frozenset[Origin]) -> tuple[Value, ...] | None:
        """The elements of a list of tensors whose number is known."""
        if not isinstance(type_, Sequence) or len(origins) != 1:
            return None
        (origin,) = origins
        if origin.place is not None or origin.role not in self.owner.counts:
            return None
        return tuple(
            Value(type=type_.element, origins=frozenset({Origin(origin.role, place)}))
            for place in range(self.owner.counts[origin.role])
        )

    def _declared(self, pattern: syntax.Pattern, value: Value) -> Parameter:
        """The parameter of a value that the pattern binds."""
        python = value.expression.text if isinstance(value.expression, Name) else ""
        if isinstance(pattern, syntax.IdentifierPattern):
            self.declare(pattern.name, value, is_mutable=pattern.is_mutable)
        else:
            self.declare(f" {python}", value)
            if isinstance(pattern, syntax.TuplePattern):
                self.bind(pattern, value)
        return Parameter(name=python)


def _tupled(value: Expression) -> Expression:
    return call("tuple", value)
