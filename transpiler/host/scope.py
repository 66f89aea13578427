"""What lowering host code keeps: names and the statements so far; options, iterators and closures in plain Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.host.types import (
    F32,
    HostError,
    HostType,
    Iterator,
    NeedsStatementsError,
    Option,
    Sequence,
    Tuple,
    Variable,
    is_unsigned,
    resolved,
    settled,
    text_of,
    unify,
)
from transpiler.host.values import (
    NONE,
    Maybe,
    Origin,
    Stream,
    Value,
    call,
    choice,
    is_simple,
    is_single,
    iterable,
    length,
    listed,
    number,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Assignment,
    Attribute,
    Binary,
    Call,
    Expression,
    Lambda,
    List,
    Name,
    Number,
    Operator,
    Starred,
    Statement,
    Subscript,
)
from transpiler.target.model import Tuple as TupleDisplay
from transpiler.target.names import KEYWORDS

if TYPE_CHECKING:
    from transpiler.host.surroundings import Implementation, Routine
    from transpiler.ir import nodes as ir
    from transpiler.source import Span

_TAKEN = frozenset(
    {
        *(
            "abs",
            "bool",
            "call",
            "ctypes",
            "enumerate",
            "float",
            "functools",
            "int",
            "iter",
            "itertools",
            "len",
        ),
        *("list", "math", "max", "min", "next", "pow", "print", "range", "reversed", "self", "sum"),
        *("super", "torch", "triton", "tuple", "zip", "any", "all", "Tensor", "KERNELS", "tl"),
        *("Kernel", "Launcher", "RuntimeOp", "cache", "dataclass", "inspect"),
    }
)
"""The names that host code uses for something else."""


@dataclass(slots=True, kw_only=True, eq=False)
class Local:
    """A variable of the Rust."""

    name: str
    value: Value
    is_mutable: bool = False
    definition: str | None = None


class Scope(ABC):
    """The state of lowering one function, and what all expressions are made with."""

    def __init__(self, owner: Implementation, *, has_self: bool) -> None:
        self.owner = owner
        self.has_self = has_self
        self.scopes: list[dict[str, Local]] = [{}]
        self.statements: list[Statement] = []
        self.pure = 0
        self.support: set[str] = set()
        self.constants_read: set[str] = set()
        self.constructed: list[tuple[ir.Kernel, tuple[Expression, ...]]] = []
        self.needs_dtype = False
        self.fields_read: set[str] = set()
        self.methods_called: set[str] = set()
        self.functions_called: dict[str, Routine] = {}
        self.captured: dict[int, list[dict[str, Local]]] = {}
        """What was in scope where a closure that has a name was made."""

    # --- What the rest of lowering gives ----------------------------------------------------------

    @abstractmethod
    def value(self, node: syntax.Expression, expected: HostType | None = None) -> Value:
        """The value of an expression."""

    @abstractmethod
    def binary(self, node: syntax.Binary, expected: HostType | None) -> Value:
        """`left operator right`."""

    @abstractmethod
    def branching(self, node: syntax.Expression, expected: HostType | None) -> Value:
        """The value of an `if`, a `match` or a block."""

    @abstractmethod
    def leaving(self, node: syntax.Expression) -> Value:
        """`return` and the like as a value."""

    @abstractmethod
    def field_name(self, name: str) -> str:
        """The name of a field in Python."""

    @abstractmethod
    def launcher(self, kernel: ir.Kernel) -> str:
        """The name of a kernel's launcher class."""

    @abstractmethod
    def is_self(self, node: syntax.Expression) -> bool:
        """Whether it is `self`."""

    @abstractmethod
    def default_method(self, node: syntax.MethodCall) -> Value | None:
        """A method that the trait gives."""

    @abstractmethod
    def macro(self, node: syntax.MacroCall) -> Value:
        """A macro as a value."""

    @abstractmethod
    def called_closure(self, local: Local, node: syntax.Call) -> Value:
        """A call of a closure that has a name."""

    @abstractmethod
    def called(
        self,
        routine: Routine,
        arguments: tuple[syntax.Expression, ...],
        span: Span,
        *,
        receiver: Expression | None = None,
    ) -> Value:
        """A call of a function of the file."""

    @abstractmethod
    def shape_of(self, tensor: Value) -> Value:
        """The shape of an input."""

    @abstractmethod
    def bind(self, pattern: syntax.Pattern, value: Value) -> None:
        """Bind what a pattern that always matches names, without a statement where that can be."""

    # --- Names ------------------------------------------------------------------------------------

    def local(self, name: str) -> Local | None:
        """The variable of a name."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def fresh(self, name: str) -> str:
        """A Python name for a variable of the Rust."""
        plain = name.removeprefix("r#").lstrip("_") or "value"
        if plain[0].isdigit():
            plain = f"value{plain}"
        if plain in KEYWORDS or plain in _TAKEN:
            plain += "_"
        candidate, count = plain, 0
        while self._is_alive(candidate):
            count += 1
            candidate = f"{plain}_{count}"
        return candidate

    def _is_alive(self, name: str) -> bool:
        """Whether a variable that may still be read has the name."""
        wanted = Name(name)
        return any(
            local.value.expression == wanted or local.definition == name
            for scope in self.scopes
            for local in scope.values()
        )

    def declare(self, name: str, value: Value, *, is_mutable: bool = False) -> Local:
        """A variable that stands for a value."""
        local = Local(name=name, value=value, is_mutable=is_mutable)
        self.retire(name)
        self.scopes[-1][name] = local
        return local

    def retire(self, name: str) -> None:
        """Take a variable out of the innermost scope; its Python name stays where something may read it later."""
        local = self.scopes[-1].pop(name, None)
        if local is not None and any(
            each.value.closure is not None or each.value.stream is not None
            for scope in self.scopes
            for each in scope.values()
        ):
            self.scopes[-1][f" {name} {len(self.scopes[-1])}"] = local

    def emit(self, statement: Statement, span: Span) -> None:
        """Add a statement."""
        if self.pure:
            raise NeedsStatementsError(
                span,
                "statements in a closure or in a condition here",
                "give the value a name first",
            )
        self.statements.append(statement)

    def named(self, value: Value, name: str, span: Span) -> Value:
        """The value, by a name where it is more than one, so that it can be written twice."""
        value = replace(value, expression=self.plain(value, span), stream=None, maybe=None)
        if is_simple(value.expression):
            return value
        if self.pure:
            return value  # it is computed twice, and nobody sees that
        python = self.fresh(name)
        self.emit(Assignment(span=span, targets=(python,), value=value.expression), span)
        result = replace(value, expression=Name(python))
        self.declare(f" {python}", result)
        return result

    def needs(self, function: str) -> None:
        """Note that a function of the module's support is called."""
        self.support.add(function)

    # --- Floats -----------------------------------------------------------------------------------

    def operand(self, value: Value) -> Expression:
        """A number to compute with: of `f32`, in its precision, which what callers pass need not have."""
        return self.rounded(value.type, value.expression)

    def rounded(self, type_: HostType, expression: Expression) -> Expression:
        """What a float operation gives, in the precision of its type."""
        if settled(type_) != F32 or is_single(expression):
            return expression
        self.needs("_single")
        return call("_single", expression)

    # --- Types ------------------------------------------------------------------------------------

    def same(self, a: HostType, b: HostType, span: Span) -> None:
        """Make two types one.

        Raises:
            HostError: they cannot be; so it was not understood.
        """
        if not unify(a, b):
            raise HostError(
                span,
                f"`{text_of(a)}` where `{text_of(b)}` is expected",
                "convert it with `as`",
            )

    # --- Values in plain Python -------------------------------------------------------------------

    def plain(self, value: Value, span: Span) -> Expression:
        """The Python of a value whatever form it has."""
        if value.maybe is not None:
            inner = self.plain(value.maybe.value, span)
            return choice(value.maybe.condition, inner, NONE)
        if value.stream is not None:
            return iterable(value.stream)
        if value.closure is not None:
            raise HostError(span, "a closure as a value", "call it where it is made")
        return value.expression

    def maybe(self, value: Value, span: Span) -> Maybe:
        """An option as a condition and a value."""
        if value.maybe is not None:
            return value.maybe
        found = resolved(value.type)
        if not isinstance(found, Option):
            raise HostError(span, f"`{text_of(found)}` where an option is expected", "use `Some`")
        known = self.named(value, "found", span)
        if not is_simple(known.expression):
            raise HostError(span, "an option in a closure here", "give it a name before")
        condition: Expression = Binary(Operator.IS_NOT, known.expression, NONE)
        if isinstance(known.expression, Number):
            condition = Name("True")
        inner = replace(known, type=found.element, low=self.least(found.element))
        return Maybe(condition=condition, value=inner)

    def least(self, type_: HostType) -> int | None:
        """The least that an integer of the type can be, where that is no negative number."""
        return 0 if is_unsigned(type_) else None

    def raises(self, maybe: Maybe) -> bool:
        """Whether Python itself refuses to compute the value where there is none."""
        match maybe.value.expression:
            case Subscript(value=base, index=index):
                return maybe.condition in (
                    base,
                    Binary(Operator.GREATER, length(base), index),
                )
            case _:
                return maybe.condition == Name("True")

    def truth(self, condition: Expression) -> Expression:
        """A condition as a bool, where it is a list that is there."""
        match condition:
            case Name(text="True" | "False") | Binary() | Call():
                return condition
            case Name() | Attribute() | Subscript():
                return Binary(Operator.GREATER, length(condition), number(0))
            case _:
                return condition

    def iterated(self, value: Value, span: Span) -> Value:
        """What a `for` runs through, as an iterator."""
        found = resolved(value.type)
        if isinstance(found, Iterator) and value.stream is not None:
            return value
        if isinstance(found, Sequence):
            return Value(
                type=Iterator(found.element),
                stream=Stream(source=self.plain(value, span), is_sequence=True),
                origins=value.origins,
                elements=value.elements,
            )
        if isinstance(found, Iterator):
            return replace(value, stream=Stream(source=value.expression))
        raise HostError(
            span, f"iterating over `{text_of(found)}`", "iterate over a slice or a range"
        )

    def sequence(self, value: Value, node: syntax.MethodCall) -> Expression:
        """What `extend` takes."""
        stream = self.iterated(value, node.span).stream
        return NONE if stream is None else iterable(stream)

    def collected(self, value: Value, span: Span) -> Value:
        """The list of an iterator's elements."""
        found = resolved(value.type)
        element = found.element if isinstance(found, Iterator) else Variable()
        if value.stream is None:
            raise HostError(span, "this iterator", "collect it where it is made")
        return Value(type=Sequence(element), expression=listed(value.stream), origins=value.origins)

    def display(self, value: Value) -> tuple[Expression, ...] | None:
        """The elements of a list that is written out."""
        match value.expression:
            case List(elements=elements) if not any(isinstance(e, Starred) for e in elements):
                return elements
            case _:
                return None

    def changes(self, value: Value, span: Span) -> None:
        """Take note that a list changes.

        Raises:
            HostError: it may be another's.
        """
        if not isinstance(value.expression, Name | Subscript):
            raise HostError(span, "changing this list", "change a variable")

    # --- Closures ---------------------------------------------------------------------------------

    def applied(self, closure: syntax.Closure, given: tuple[Value, ...], span: Span) -> Value:
        """What a closure makes of values, in its place."""
        if len(closure.parameters) != len(given):
            raise HostError(span, "a closure of these parameters", "take what it is given")
        outer = self.scopes
        captured = self.captured.get(id(closure))
        if captured is not None:
            # Names are those of where it was made; the Python names of here stay taken.
            hidden = [{f" {name}": it for name, it in scope.items()} for scope in outer]
            self.scopes = [*hidden, *captured]
        self.scopes = [*self.scopes, {}]
        self.pure += 1
        try:
            for parameter, value in zip(closure.parameters, given, strict=True):
                if parameter.type is not None:
                    self.same(value.type, self.owner.type_of(parameter.type), closure.span)
                self.bind(parameter.pattern, value)
            wanted = (
                None if closure.return_type is None else self.owner.type_of(closure.return_type)
            )
            return self.value(closure.body, wanted)
        finally:
            self.pure -= 1
            self.scopes = outer

    def function(self, closure: syntax.Closure, types: tuple[HostType, ...]) -> Expression:
        """A closure as a function of Python."""
        self.scopes.append({})
        names: list[str] = []
        values: list[Value] = []
        for parameter, type_ in zip(closure.parameters, types, strict=True):
            name = self.fresh(_hint(parameter.pattern))
            value = Value(type=type_, expression=Name(name), low=self.least(type_))
            names.append(name)
            values.append(value)
            self.declare(f" {name}", value)
        result = self.applied(closure, tuple(values), closure.span)
        expression = self.plain(result, closure.span)
        self.scopes.pop()
        return Lambda(tuple(names), expression)

    def result_of(self, closure: syntax.Closure, types: tuple[HostType, ...]) -> HostType:
        """The type of what a closure gives."""
        values = tuple(Value(type=it, expression=Name("_"), low=self.least(it)) for it in types)
        return self.applied(closure, values, closure.span).type

    def can_bind(self, pattern: syntax.Pattern, item: Value) -> bool:
        """Whether a pattern can stand for a value without a name for it."""
        while isinstance(pattern, syntax.ReferencePattern):
            pattern = pattern.pattern
        match pattern:
            case syntax.WildcardPattern():
                return True
            case syntax.IdentifierPattern():
                return is_simple(item.expression)
            case syntax.TuplePattern(elements=elements):
                return isinstance(item.expression, TupleDisplay) and all(
                    isinstance(each, syntax.IdentifierPattern | syntax.WildcardPattern)
                    for each in elements
                )
            case _:
                return False

    def target(
        self, pattern: syntax.Pattern, type_: HostType, origins: frozenset[Origin] = frozenset()
    ) -> tuple[str, Value]:
        """What a comprehension or a `for` binds, and the value that is."""
        found = resolved(type_)
        while isinstance(pattern, syntax.ReferencePattern):
            pattern = pattern.pattern
        match pattern:
            case syntax.TuplePattern(elements=elements) if isinstance(found, Tuple):
                parts = [
                    self.target(each, inner)
                    for each, inner in zip(elements, found.elements, strict=True)
                ]
                texts = [f"({text})" if "," in text else text for text, _ in parts]
                display = TupleDisplay(tuple(value.expression for _, value in parts))
                return ", ".join(texts), Value(type=found, expression=display)
            case syntax.WildcardPattern():
                return "_", Value(type=found, expression=Name("_"))
            case syntax.TuplePattern():
                name = self.fresh("tensor")
            case _:
                name = self.fresh(_hint(pattern))
        return name, Value(
            type=found, expression=Name(name), low=self.least(found), origins=origins
        )


def _hint(pattern: syntax.Pattern) -> str:
    match pattern:
        case syntax.IdentifierPattern(name=name):
            return name
        case syntax.ReferencePattern(pattern=inner):
            return _hint(inner)
        case syntax.TuplePattern():
            return "pair"
        case _:
            return "_value"
