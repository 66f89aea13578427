"""Expressions of host code: their types and their Python in one walk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from transpiler.host.calls import Calls
from transpiler.host.types import (
    BOOL,
    FLOATS,
    INTEGERS,
    NEVER,
    PHANTOM,
    TEXT,
    UNIT,
    UNSIGNED,
    USIZE,
    HostError,
    HostType,
    Iterator,
    Option,
    Scalar,
    Sequence,
    Tuple,
    Variable,
    inner_of,
    resolved,
)
from transpiler.host.values import (
    Maybe,
    Stream,
    Value,
    call,
    constant_of,
    number,
    pair,
)
from transpiler.syntax import nodes as syntax
from transpiler.syntax.text_literals import text_value
from transpiler.target.model import (
    Binary,
    Clause,
    Comprehension,
    Expression,
    List,
    Name,
    Number,
    Operator,
    Text,
    Unary,
    dotted,
)

if TYPE_CHECKING:
    from transpiler.source import Span


_NUMBER_CONSTANTS = {"MAX", "MIN", "BITS"}


class Expressions(Calls):
    """Lowers the expressions of one function."""

    def value(  # noqa: C901 - one case a node
        self, node: syntax.Expression, expected: HostType | None = None
    ) -> Value:
        """The value of an expression; `expected` is what it will be unified with."""
        match node:
            case syntax.IntegerLiteral():
                return self._integer(node)
            case syntax.FloatLiteral(digits=digits, suffix=suffix):
                text = digits if any(c in digits for c in ".eE") else f"{digits}.0"
                text = text + "0" if text.endswith(".") else text
                type_ = Variable(is_float=True) if suffix is None else Scalar(suffix)
                return Value(type=type_, expression=Number(text))
            case syntax.BooleanLiteral(value=flag):
                return Value(type=BOOL, expression=Name(str(flag)))
            case syntax.TextLiteral(text=text):
                found = text_value(text)
                if found is None:
                    raise HostError(node.span, "this literal", "write a string in double quotes")
                return Value(type=TEXT, expression=Text(found))
            case syntax.PathExpression():
                return self._path(node, expected)
            case syntax.Parenthesized(inner=inner):
                return self.value(inner, expected)
            case syntax.Reference(operand=operand):
                return self.value(operand, expected)
            case syntax.Unary():
                return self._unary(node, expected)
            case syntax.Binary():
                return self.binary(node, expected)
            case syntax.Cast():
                return self._cast(node)
            case syntax.Call():
                return self._call(node, expected)
            case syntax.MethodCall():
                return self._method(node, expected)
            case syntax.Field():
                return self.field_of(self.value(node.base), node.name, node.span)
            case syntax.Index():
                return self._index(node)
            case syntax.Array(elements=elements):
                return self._display(elements, expected, is_array=True)
            case syntax.ArrayRepeat(element=element, length=count):
                return self._repeated(element, count, is_array=True)
            case syntax.Tuple(elements=elements):
                return self._tuple(elements)
            case syntax.Range():
                return self._range(node)
            case syntax.MacroCall():
                return self._macro(node, expected)
            case syntax.StructLiteral():
                raise HostError(node.span, "a struct literal here", "pass its fields one by one")
            case syntax.Closure():
                return Value(type=Variable(), closure=node)
            case syntax.Block() | syntax.If() | syntax.Match() | syntax.Loop():
                return self.branching(node, expected)
            case syntax.LetCondition() | syntax.Assignment() | syntax.While() | syntax.For():
                raise HostError(node.span, "this as a value", "write a statement of its own")
            case syntax.Return() | syntax.Break() | syntax.Continue():
                return self.leaving(node)
            case syntax.Try():
                raise HostError(node.span, "`?`", "write `if let Some(x) = …`")
        assert_never(node)

    # --- Names and literals -----------------------------------------------------------------------

    def _integer(self, node: syntax.IntegerLiteral) -> Value:
        if node.suffix in FLOATS:
            return Value(type=Scalar(node.suffix), expression=Number(f"{node.value}.0"))
        type_ = Variable(is_integer=True) if node.suffix is None else Scalar(node.suffix)
        return Value(type=type_, expression=Number(str(node.value)), low=node.value)

    def _path(self, node: syntax.PathExpression, expected: HostType | None) -> Value:
        names = node.path.names
        if len(names) == 1:
            local = self.local(names[0])
            if local is not None:
                return local.value
            if names[0] == "None":
                element = Variable() if expected is None else None
                type_ = Option(element) if element is not None else expected or NEVER
                nothing = Maybe(condition=Name("False"), value=Value(type=inner_of(type_)))
                return Value(type=type_, maybe=nothing)
        if names[-1] == "PhantomData":
            return Value(type=PHANTOM)
        if len(names) >= 2 and names[-2] in INTEGERS and names[-1] in _NUMBER_CONSTANTS:
            return _number_constant(names[-2], names[-1])
        if len(names) >= 2 and names[-2] in FLOATS:
            return self._float_constant(names[-2], names[-1], node.span)
        if len(names) == 2 and names[0] in {"Self", self.owner.name}:
            const = self.owner.constants.get(names[1])
            if const is not None:
                return self._constant(const)
        found = self.owner.home.resolve(names)
        if found is not None and isinstance(found[0], syntax.Const):
            with self.owner.within(found[1]):
                return self._constant(found[0])
        raise HostError(
            node.span,
            f"the name `{'::'.join(names)}`",
            "constants and functions have to be those of this file",
        )

    def _float_constant(self, type_: str, name: str, span: Span) -> Value:
        match name:
            case "INFINITY":
                expression: Expression = dotted("math.inf")
            case "NEG_INFINITY":
                expression = Unary(Operator.NEGATE, dotted("math.inf"))
            case "NAN":
                expression = dotted("math.nan")
            case "EPSILON":
                expression = Number("1.1920929e-07" if type_ == "f32" else "2.220446049250313e-16")
            case _:
                raise HostError(span, f"the constant `{type_}::{name}`", "write the number")
        return Value(type=Scalar(type_), expression=expression)

    def _constant(self, const: syntax.Const) -> Value:
        if const.value is None or const.name in self.constants_read:
            raise HostError(
                const.span, f"the constant `{const.name}`", "write a constant of numbers"
            )
        type_ = self.owner.type_of(const.type)
        self.constants_read.add(const.name)
        value = self.value(const.value, type_)
        self.constants_read.discard(const.name)
        self.same(value.type, type_, const.span)
        return replace(value, type=type_)

    # --- Displays ---------------------------------------------------------------------------------

    def _display(
        self, elements: tuple[syntax.Expression, ...], expected: HostType | None, *, is_array: bool
    ) -> Value:
        wanted = resolved(expected) if expected is not None else None
        element: HostType = wanted.element if isinstance(wanted, Sequence) else Variable()
        values = []
        for each in elements:
            value = self.value(each, element)
            self.same(value.type, element, each.span)
            values.append(value)
        plain = [self.plain(it, each.span) for it, each in zip(values, elements, strict=True)]
        return Value(
            type=Sequence(element, is_array=is_array),
            expression=List(tuple(plain)),
            origins=frozenset().union(*(it.origins for it in values)),
            elements=tuple(values),
        )

    def _repeated(
        self, element: syntax.Expression, count: syntax.Expression, *, is_array: bool
    ) -> Value:
        value = self.value(element)
        times = self.value(count, USIZE)
        self.same(times.type, USIZE, count.span)
        inner = self.plain(value, element.span)
        whole: Expression = Binary(Operator.MULTIPLY, List((inner,)), times.expression)
        if isinstance(resolved(value.type), Sequence):
            # Each of them is a list of its own, as in Rust.
            whole = Comprehension(
                inner, (Clause("_", call("range", times.expression)),), is_list=True
            )
        return Value(type=Sequence(value.type, is_array=is_array), expression=whole)

    def _tuple(self, elements: tuple[syntax.Expression, ...]) -> Value:
        if not elements:
            return Value(type=UNIT)
        values = [self.value(each) for each in elements]
        plain = [self.plain(it, each.span) for it, each in zip(values, elements, strict=True)]
        return Value(type=Tuple(tuple(it.type for it in values)), expression=pair(*plain))

    def _range(self, node: syntax.Range) -> Value:
        if node.start is None or node.end is None:
            if node.start is not None:
                start = self.value(node.start)
                source = call("itertools.count", start.expression)
                return Value(type=Iterator(start.type), stream=Stream(source=source))
            raise HostError(node.span, "a range without a start here", "write where it starts")
        start = self.value(node.start)
        end = self.value(node.end, start.type)
        self.same(start.type, end.type, node.span)
        stop = end.expression
        if node.is_inclusive:
            last = constant_of(stop)
            one = number(1)
            stop = Binary(Operator.ADD, stop, one) if last is None else number(last + 1)
        places = (stop,) if constant_of(start.expression) == 0 else (start.expression, stop)
        source = call("range", *places)
        return Value(
            type=Iterator(start.type),
            stream=Stream(source=source, is_sequence=True),
            low=start.low,
        )

    def _macro(self, node: syntax.MacroCall, expected: HostType | None) -> Value:
        name = node.path.names[-1]
        match name, node.array:
            case "vec", syntax.Array(elements=elements):
                return self._display(elements, expected, is_array=False)
            case "vec", syntax.ArrayRepeat(element=element, length=count):
                return self._repeated(element, count, is_array=False)
            case _:
                return self.macro(node)


def _number_constant(type_: str, name: str) -> Value:
    bits = INTEGERS[type_]
    match name:
        case "BITS":
            return Value(type=Scalar("u32"), expression=number(bits), low=bits)
        case "MAX":
            most = 2**bits - 1 if type_ in UNSIGNED else 2 ** (bits - 1) - 1
            return Value(type=Scalar(type_), expression=Number(hex(most)), low=most)
        case _:
            least = 0 if type_ in UNSIGNED else -(2 ** (bits - 1))
            return Value(type=Scalar(type_), expression=number(least), low=max(least, -1))
