"""Expressions that hold no statements: operands, what follows them, operators."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frontend.build.base import (
    ClosureParameters,
    GenericList,
    PathDraft,
    StructBase,
    identifier,
    path_of,
    span_of,
    spanning,
)
from transpiler.frontend.build.literals import LiteralBuilder
from transpiler.frontend.build.macro_calls import (
    ASSERTIONS,
    TEXTS,
    arguments_of,
    arguments_quietly,
    array_of,
    concat,
    matches,
    stringify,
)
from transpiler.frontend.build.types import TypeBuilder
from transpiler.frontend.faults import Fault
from transpiler.frontend.lexer import Lexeme
from transpiler.frontend.operators import INFIXES, Infix, place_cast, place_infix
from transpiler.frontend.trivia import attach, take
from transpiler.source import Span
from transpiler.syntax.nodes import (
    Array,
    ArrayRepeat,
    Break,
    Call,
    Closure,
    ClosureParameter,
    Continue,
    Expression,
    Field,
    FieldValue,
    GenericArgument,
    Index,
    MacroCall,
    MacroFailure,
    MetaItem,
    MethodCall,
    Parenthesized,
    Path,
    PathExpression,
    PathSegment,
    Pattern,
    Range,
    Reference,
    Return,
    StructLiteral,
    Try,
    Tuple,
    Type,
    Unary,
    UnaryOperator,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.syntax.base import Comment


class CallSuffix(NamedTuple):
    """`(arguments)`."""

    end: int
    arguments: tuple[Expression, ...]


class IndexSuffix(NamedTuple):
    """`[index]`."""

    end: int
    inner: Expression


class FieldSuffix(NamedTuple):
    """`.name`, `.0`."""

    end: int
    name: str


class MethodSuffix(NamedTuple):
    """`.name::<T>(arguments)`."""

    end: int
    name: str
    name_span: Span
    generics: tuple[GenericArgument, ...]
    arguments: tuple[Expression, ...]


class TrySuffix(NamedTuple):
    """`?`."""

    end: int


Suffix: TypeAlias = CallSuffix | IndexSuffix | FieldSuffix | MethodSuffix | TrySuffix


class ExpressionBuilder(LiteralBuilder, TypeBuilder):
    """Operands and operators of `grammar/functions.lark`."""

    # --- operands ---

    def name(self, token: Lexeme) -> PathExpression:
        """One identifier."""
        span = Span(token.start_pos, token.end_pos)
        name = identifier(token)
        self.names.add(name)
        segment = PathSegment(span=span, name=name)
        return PathExpression(
            span=span, path=Path(span=span, segments=(segment,)), context=self.context(token)
        )

    def path_expression(self, draft: PathDraft) -> PathExpression:
        """`a::b::<C>`."""
        path = draft.finish()
        self.names.add(path.segments[-1].name)
        return PathExpression(span=path.span, path=path)

    def unit(self, opening: Lexeme, closing: Lexeme) -> Tuple:
        """`()`."""
        return Tuple(span=spanning(opening, closing), elements=())

    def tuple_(
        self, opening: Lexeme, elements: list[Expression], _comma: Lexeme, closing: Lexeme
    ) -> Tuple:
        """`(a,)`, `(a, b,)`."""
        return Tuple(span=spanning(opening, closing), elements=tuple(elements))

    def parenthesized(
        self, opening: Lexeme, inner: list[Expression], closing: Lexeme
    ) -> Parenthesized | Tuple:
        """`(a)`; with more than one element it is a tuple."""
        span = Span(opening.start_pos, closing.end_pos)
        if len(inner) == 1:
            return Parenthesized(span=span, inner=inner[0])
        return Tuple(span=span, elements=tuple(inner))

    def empty_array(self, opening: Lexeme, closing: Lexeme) -> Array:
        """`[]`."""
        return Array(span=spanning(opening, closing), elements=())

    def array(self, opening: Lexeme, elements: list[Expression], *rest: Lexeme) -> Array:
        """`[a, b]`."""
        return Array(span=spanning(opening, rest[-1]), elements=tuple(elements))

    def array_repeat(
        self,
        opening: Lexeme,
        element: Expression,
        _semicolon: Lexeme,
        length: Expression,
        closing: Lexeme,
    ) -> ArrayRepeat:
        """`[a; n]`."""
        return ArrayRepeat(span=spanning(opening, closing), element=element, length=length)

    def meta_array(self, *children: Lexeme | Expression) -> MetaItem:
        """`[a, b]` among the items of an attribute."""
        span = spanning(children[0], children[-1])
        elements = tuple(child for child in children if not isinstance(child, Lexeme))
        return MetaItem(span=span, value=Array(span=span, elements=elements))

    def macro_call(self, path: Lexeme | PathDraft, _bang: Lexeme, tokens: Lexeme) -> Expression:
        """`path!(…)`; the macros of Rust that a kernel can use are what they mean."""
        span = spanning(path, tokens)
        fault = None if self.expansion is None else self.expansion.failure(span.start)
        failure = None if fault is None else MacroFailure(fault.code, fault.message, fault.help)
        call = MacroCall(span=span, path=path_of(path), tokens=tokens.value, failure=failure)
        inside = Span(tokens.start_pos + 1, tokens.end_pos - 1)
        match call.path.names[-1]:
            case name if name in ASSERTIONS:
                return replace(call, arguments=arguments_of(self.text, inside, self.nested))
            case name if name in TEXTS:
                return replace(call, arguments=arguments_quietly(self.text, inside, self.nested))
            case "vec":
                return replace(call, array=array_of(self.text, span_of(tokens), self.nested))
            case "matches":
                return matches(self.text, call, inside, self.nested)
            case "cfg":
                return replace(call, meta=self.nested.meta(*inside))
            case "stringify":
                return stringify(self.text, call, inside)
            case "concat":
                return concat(self.text, call, inside) or call
            case _:
                return call

    def struct_literal(
        self, path: Lexeme | PathDraft, *rest: Lexeme | FieldValue | StructBase
    ) -> StructLiteral:
        """`Path { … }`; comments in it attach to the fields."""
        opening, closing = span_of(rest[0]), span_of(rest[-1])
        fields: list[FieldValue] = []
        places: list[tuple[int, int]] = []
        base: StructBase | None = None
        for child in rest[1:-1]:
            if isinstance(child, FieldValue):
                first = child.attributes[0] if child.attributes else child
                fields.append(child)
                places.append((first.span.start, child.span.end))
            elif isinstance(child, StructBase):
                base = child
            elif places:
                places[-1] = (places[-1][0], child.end_pos)
        comments = take(self.comments, opening.end, closing.start)
        after: tuple[Comment, ...] = ()
        if comments:
            trivia, after = attach(self.text, places, comments, opening.end)
            pairs = zip(fields, trivia, strict=True)
            fields = [replace(field, trivia=around) for field, around in pairs]
        return StructLiteral(
            span=spanning(path, rest[-1]),
            path=path_of(path),
            fields=tuple(fields),
            base=None if base is None else base.value,
            has_rest=base is not None,
            closing_comments=after,
        )

    def field_value(self, *children: Lexeme | Expression) -> FieldValue:
        """`a: b`, or `a` alone."""
        count = sum(isinstance(it, Lexeme) and it.type == "ATTRIBUTE" for it in children)
        attributes = self.attributes_of(it for it in children[:count] if isinstance(it, Lexeme))
        name, *rest = children[count:]
        if not isinstance(name, Lexeme):
            raise TypeError("a field has no name")
        value = next((it for it in rest if not isinstance(it, Lexeme)), None)
        return FieldValue(
            span=spanning(name, value or name),
            name=identifier(name),
            value=value or self.name(name),
            is_shorthand=value is None,
            attributes=attributes,
        )

    def struct_base(self, dots: Lexeme, value: Expression | None = None) -> StructBase:
        """`..base`, or dots alone."""
        return StructBase(spanning(dots, value or dots), value)

    def first(self, element: object) -> list[object]:
        """The first element of a list."""
        return [element]

    def more(self, elements: list[object], element: object) -> list[object]:
        """A further element without a separator."""
        elements.append(element)
        return elements

    def list_more(self, elements: list[object], _comma: Lexeme, element: object) -> list[object]:
        """A further element after a comma."""
        elements.append(element)
        return elements

    # --- what follows an operand ---

    def empty_call(self, _open: Lexeme, closing: Lexeme) -> CallSuffix:
        """`()`."""
        return CallSuffix(closing.end_pos, ())

    def call_suffix(self, _open: Lexeme, arguments: list[Expression], *rest: Lexeme) -> CallSuffix:
        """`(a, b)`."""
        return CallSuffix(rest[-1].end_pos, tuple(arguments))

    def index_suffix(self, _open: Lexeme, index: Expression, closing: Lexeme) -> IndexSuffix:
        """`[i]`."""
        return IndexSuffix(closing.end_pos, index)

    def field_suffix(self, _dot: Lexeme, name: Lexeme) -> FieldSuffix:
        """`.name`, `.0`."""
        return FieldSuffix(name.end_pos, identifier(name))

    def method_suffix(
        self, _dot: Lexeme, name: Lexeme, _colons: Lexeme, generics: GenericList, call: CallSuffix
    ) -> MethodSuffix:
        """`.name::<T>(a, b)`."""
        return MethodSuffix(
            call.end, identifier(name), span_of(name), generics.arguments, call.arguments
        )

    def try_suffix(self, mark: Lexeme) -> TrySuffix:
        """`?`."""
        return TrySuffix(mark.end_pos)

    def apply(self, operand: Expression, suffix: Suffix) -> Expression:
        """An operand with what follows it; a field that is called was a method."""
        span = Span(operand.span.start, suffix.end)
        if type(suffix) is CallSuffix:
            if type(operand) is Field and not operand.name[0].isdecimal():
                name_end = operand.span.end
                return MethodCall(
                    span=span,
                    receiver=operand.base,
                    method=operand.name,
                    method_span=Span(name_end - len(operand.name), name_end),
                    arguments=suffix.arguments,
                )
            return Call(span=span, callee=operand, arguments=suffix.arguments)
        match suffix:
            case FieldSuffix():
                return Field(span=span, base=operand, name=suffix.name)
            case IndexSuffix():
                return Index(span=span, base=operand, index=suffix.inner)
            case MethodSuffix():
                return MethodCall(
                    span=span,
                    receiver=operand,
                    method=suffix.name,
                    method_span=suffix.name_span,
                    arguments=suffix.arguments,
                    generics=suffix.generics,
                )
        return Try(span=span, operand=operand)

    # --- operators ---

    def infix(self, *tokens: Lexeme) -> Infix:
        """One operator, put together where `<` or `>` begins it."""
        if len(tokens) > 1:
            spelling = "".join(token.value for token in tokens)
            for first, second in pairwise(tokens):
                if first.end_pos != second.start_pos:
                    raise Fault(
                        code="E0110",
                        message=f"expected an expression, found `{second.value}`",
                        span=span_of(second),
                        help=f"write `{spelling}` without a space if the operator is meant",
                    )
            return INFIXES[spelling]
        return INFIXES[tokens[0].value]

    def chain(self, left: Expression, infix: Infix | Lexeme, right: Expression) -> Expression:
        """`left infix right`; a range's dots arrive as a token."""
        if isinstance(infix, Lexeme):
            infix = INFIXES[infix.value]
        if type(right) is Unary and right.operator is UnaryOperator.DEREFERENCE:
            self._refuse_power(right.span.start)
        return place_infix(left, infix, right)

    def _refuse_power(self, star: int) -> None:
        """Refuse `**`, which reads as a product with what a reference leads to."""
        if self.text[star - 1] == "*":
            raise Fault(
                code="E0110",
                message="`**` is no operator of Rust",
                span=Span(star - 1, star + 1),
                help="write `x.pow(2)` for integers, `x.powi(2)` or `x.powf(y)` for floats, or `x * x`",
            )

    def cast(self, operand: Expression, _as: Lexeme, target: Type) -> Expression:
        """`operand as T`."""
        return place_cast(operand, target)

    def prefix(self, operator: Lexeme, mut: Lexeme | None = None) -> tuple[Lexeme, bool]:
        """A prefix operator, and whether `mut` follows it."""
        return operator, mut is not None

    def unary(self, prefix: tuple[Lexeme, bool], operand: Expression) -> Unary | Reference:
        """`-x`, `!x`, `*x`, `&x`, `&mut x`; `&&x` takes the reference of a reference."""
        operator, is_mutable = prefix
        span = Span(operator.start_pos, operand.span.end)
        match operator.value:
            case "&":
                return Reference(span=span, operand=operand, is_mutable=is_mutable)
            case "&&":
                inner = Reference(
                    span=Span(span.start + 1, span.end), operand=operand, is_mutable=is_mutable
                )
                return Reference(span=span, operand=inner)
            case spelling:
                return Unary(span=span, operator=UnaryOperator(spelling), operand=operand)

    def range_to(self, dots: Lexeme, end: Expression) -> Range:
        """`..end`."""
        return Range(
            span=spanning(dots, end), start=None, end=end, is_inclusive=dots.value == "..="
        )

    def range_from(self, start: Expression, dots: Lexeme) -> Range:
        """`start..`."""
        _refuse_open_inclusive(dots)
        return Range(span=spanning(start, dots), start=start, end=None)

    def range_full(self, dots: Lexeme) -> Range:
        """`..`."""
        _refuse_open_inclusive(dots)
        return Range(span=span_of(dots), start=None, end=None)

    # --- forms that reach to the end ---

    def return_(self, word: Lexeme, value: Expression | None = None) -> Return:
        """`return x`."""
        return Return(span=spanning(word, value or word), value=value)

    def break_(self, word: Lexeme, *rest: Lexeme | Expression) -> Break:
        """`break 'a x`."""
        label = value = None
        for child in rest:
            if isinstance(child, Lexeme):
                label = self.label(child)
            else:
                value = child
        return Break(span=spanning(word, rest[-1] if rest else word), label=label, value=value)

    def continue_(self, word: Lexeme, label: Lexeme | None = None) -> Continue:
        """`continue 'a`."""
        return Continue(
            span=spanning(word, label or word), label=self.label(label) if label else None
        )

    def closure_parameters(self, *children: Lexeme | ClosureParameter) -> ClosureParameters:
        """`|a, b|`."""
        return ClosureParameters(
            spanning(children[0], children[-1]),
            tuple(child for child in children if isinstance(child, ClosureParameter)),
        )

    def closure_parameter(self, pattern: Pattern, *rest: Lexeme | Type) -> ClosureParameter:
        """`a`, `a: T`."""
        type_ = next((child for child in rest if not isinstance(child, Lexeme)), None)
        return ClosureParameter(
            span=spanning(pattern, type_ or pattern), pattern=pattern, type=type_
        )

    def closure(self, *children: Lexeme | ClosureParameters | Type | Expression) -> Closure:
        """`move |a| body`, `|a| -> T { … }`."""
        parameters = next(child for child in children if isinstance(child, ClosureParameters))
        return_type = next((child for child in children if isinstance(child, Type)), None)
        (body,) = (child for child in children if isinstance(child, Expression))
        return Closure(
            span=spanning(children[0], body),
            parameters=parameters.parameters,
            body=body,
            return_type=return_type,
            is_move=isinstance(children[0], Lexeme),
        )


def _refuse_open_inclusive(dots: Lexeme) -> None:
    if dots.value == "..=":
        raise Fault(
            code="E0110",
            message="an inclusive range needs an end",
            span=span_of(dots),
            help="write `..` for a range without an end",
        )
