"""Paths, types, generic parameters and the heads of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lark.lexer import Token

from transpiler.frontend.build.base import (
    BuilderBase,
    Child,
    GenericList,
    PathDraft,
    identifier,
    span_of,
    spanning,
)
from transpiler.frontend.trivia import attach, take
from transpiler.source import Span
from transpiler.syntax.nodes import (
    ArrayType,
    AssociatedTypeArgument,
    Attribute,
    ConstArgument,
    ConstParameter,
    Expression,
    GenericArgument,
    GenericParameter,
    InferredType,
    LifetimeArgument,
    LifetimeParameter,
    MetaItem,
    Node,
    OpaqueType,
    Parameter,
    Path,
    PathSegment,
    PathType,
    Pattern,
    ReferenceType,
    TupleType,
    Type,
    TypeParameter,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


class Bounds(NamedTuple):
    """The bounds of a type parameter that are paths."""

    paths: tuple[Path, ...]


class Receiver(NamedTuple):
    """A `self` parameter as written."""

    span: Span


class Parameters(NamedTuple):
    """A parameter list: the receiver apart."""

    receiver: str | None
    parameters: tuple[Parameter, ...]


class Generics(NamedTuple):
    """Generic parameters."""

    parameters: tuple[GenericParameter, ...]


class FunctionHead(NamedTuple):
    """All of a function before its body, but for what stands before `fn`."""

    name: str
    name_span: Span
    generics: tuple[GenericParameter, ...]
    receiver: str | None
    parameters: tuple[Parameter, ...]
    return_type: Type | None
    where_clause: str | None


def nodes_in(children: Iterable[object]) -> tuple[Node, ...]:
    """The children that are nodes: tokens are punctuation here."""
    return tuple(child for child in children if isinstance(child, Node))


class TypeBuilder(BuilderBase):
    """Everything that stands in `grammar/items.lark`."""

    # --- paths ---

    def path_start(self, first: Token, *rest: Child) -> PathDraft:
        """`a`, `a<B>`, `a::b`, `a::<B>`."""
        return PathDraft(first.start_pos, is_global=False).add((first, *rest))

    def path_global(self, colons: Token, *rest: Child) -> PathDraft:
        """`::a`."""
        return PathDraft(colons.start_pos, is_global=True).add(rest)

    def path_more(self, path: PathDraft, *rest: Child) -> PathDraft:
        """`path::a`."""
        return path.add(rest)

    def generic_arguments(self, *children: Child) -> GenericList:
        """`<A, B>`."""
        arguments: list[GenericArgument] = [
            child  # type: ignore[misc] - the grammar admits generic arguments only
            for child in children
            if isinstance(child, Node)
        ]
        return GenericList(spanning(children[0], children[-1]), tuple(arguments))

    def associated_type(self, name: Token, _equals: Token, type_: Type) -> AssociatedTypeArgument:
        """`Output = T`."""
        return AssociatedTypeArgument(
            span=spanning(name, type_), name=identifier(name), type=type_
        )

    def lifetime_argument(self, token: Token) -> LifetimeArgument:
        """`'a`."""
        return LifetimeArgument(span=span_of(token), name=token.value[1:])

    def const_argument(self, value: Expression) -> ConstArgument:
        """`3`, `-1`, `{ N + 1 }`."""
        return ConstArgument(span=value.span, value=value)

    # --- types ---

    def named_type(self, path: PathDraft) -> PathType:
        """`T::Pointer<D>`."""
        finished = path.finish()
        return PathType(span=finished.span, path=finished)

    def reference_type(self, ampersand: Token, *rest: Token | Type) -> ReferenceType:
        """`&'a mut T`."""
        referent = rest[-1]
        assert isinstance(referent, Node)
        words = [child for child in rest if isinstance(child, Token)]
        lifetimes = [word.value[1:] for word in words if word.type == "LIFETIME"]
        return ReferenceType(
            span=spanning(ampersand, referent),
            referent=referent,
            is_mutable=any(word.value == "mut" for word in words),
            lifetime=lifetimes[0] if lifetimes else None,
        )

    def double_reference_type(self, ampersands: Token, *rest: Token | Type) -> ReferenceType:
        """`&&T`, which the lexer reads as one operator."""
        inner = self.reference_type(ampersands, *rest)
        start, end = inner.span
        return ReferenceType(
            span=Span(start, end),
            referent=ReferenceType(
                span=Span(start + 1, end),
                referent=inner.referent,
                is_mutable=inner.is_mutable,
                lifetime=inner.lifetime,
            ),
        )

    def tuple_type(self, *children: Token | Type) -> TupleType:
        """`()`, `(A, B)`."""
        elements = tuple(child for child in children if not isinstance(child, Token))
        return TupleType(span=spanning(children[0], children[-1]), elements=elements)

    def grouped_type(self, _open: Token, inner: Type, _close: Token) -> Type:
        """`(A)` is `A`."""
        return inner

    def array_type(self, opening: Token, element: Type, *rest: Token | Expression) -> ArrayType:
        """`[T]`, `[T; N]`."""
        length = rest[1] if len(rest) > 1 else None
        assert length is None or not isinstance(length, Token)
        return ArrayType(span=spanning(opening, rest[-1]), element=element, length=length)

    def inferred_type(self, token: Token) -> InferredType:
        """`_`."""
        return InferredType(span=span_of(token))

    def opaque_type(self, *children: Child) -> OpaqueType:
        """A type that is kept as written."""
        span = spanning(children[0], children[-1])
        return OpaqueType(span=span, text=self.written(span))

    # --- generic parameters ---

    def bound(self, *children: Child) -> PathDraft | Token:
        """One bound; only a bare path is kept apart."""
        only = children[0]
        if len(children) == 1 and isinstance(only, PathDraft):
            return only
        last = children[-1]
        return last if isinstance(last, Token) else Token("BOUND", "")

    def bounds(self, *children: PathDraft | Token) -> Bounds:
        """`A + B`."""
        return Bounds(tuple(child.finish() for child in children if isinstance(child, PathDraft)))

    def type_parameter(self, name: Token, *rest: Token | Bounds) -> TypeParameter:
        """`D: Float`."""
        last = rest[-1] if rest else None
        bounds = last.paths if isinstance(last, Bounds) else ()
        end = bounds[-1].span.end if bounds else name.end_pos
        return TypeParameter(
            span=Span(name.start_pos, end), name=identifier(name), bounds=bounds
        )

    def const_parameter(
        self, const: Token, name: Token, _colon: Token, type_: Type, *default: Token | Expression
    ) -> ConstParameter:
        """`const N: i32 = 1`."""
        value = default[-1] if default else None
        assert not isinstance(value, Token)
        return ConstParameter(
            span=spanning(const, value or type_), name=identifier(name), type=type_, default=value
        )

    def lifetime_parameter(self, *tokens: Token) -> LifetimeParameter:
        """`'a: 'b`."""
        return LifetimeParameter(
            span=spanning(tokens[0], tokens[-1]), name=tokens[0].value[1:]
        )

    def generics(self, *children: Token | GenericParameter) -> Generics:
        """`<T: Triton, const N: i32>`."""
        return Generics(tuple(child for child in children if not isinstance(child, Token)))

    # --- parameters ---

    def parameter(self, *children: Token | Pattern | Type) -> Parameter:
        """`pattern: type`; attributes mean nothing here."""
        *_, pattern, _colon, type_ = children
        return Parameter(
            span=spanning(pattern, type_),
            pattern=pattern,  # type: ignore[arg-type] - the rule's order
            type=type_,  # type: ignore[arg-type]
        )

    def receiver(self, *children: Child) -> Receiver:
        """`&mut self`."""
        return Receiver(spanning(children[0], children[-1]))

    def parameters(self, *children: Token | Parameter | Receiver) -> Parameters:
        """A parameter list without its parentheses; comments in it attach to the parameters."""
        receiver = None
        entries: list[Parameter] = []
        places: list[tuple[int, int]] = []
        for child in children:
            if isinstance(child, Parameter):
                entries.append(child)
                places.append(child.span)
            elif isinstance(child, Receiver):
                receiver = self.text[child.span.start : child.span.end]
            elif places:
                places[-1] = (places[-1][0], child.end_pos)
        self._parameter_places = places
        return Parameters(receiver, tuple(entries))

    def function_head(self, *children: object) -> FunctionHead:
        """`fn name<…>(…) -> T where …`."""
        name = children[1]
        assert isinstance(name, Token)
        generics: tuple[GenericParameter, ...] = ()
        parameters = Parameters(None, ())
        return_type: Type | None = None
        where_clause = None
        opening = closing = name.end_pos
        for child in children[2:]:
            match child:
                case Generics():
                    generics = child.parameters
                case Parameters():
                    parameters = child
                case Token(type="LPAR"):
                    opening = child.end_pos
                case Token(type="RPAR"):
                    closing = child.start_pos
                case Token(type="WHERE"):
                    where_clause = child.value.removeprefix("where").strip() or None
                case Token():
                    pass
                case _:
                    return_type = child  # type: ignore[assignment] - what is left is the type
        return FunctionHead(
            name=identifier(name),
            name_span=span_of(name),
            generics=generics,
            receiver=parameters.receiver,
            parameters=self._with_comments(parameters.parameters, opening, closing),
            return_type=return_type,
            where_clause=where_clause,
        )

    def return_type(self, _arrow: Token, type_: Type) -> Type:
        """`-> T`."""
        return type_

    def _with_comments(
        self, parameters: tuple[Parameter, ...], start: int, end: int
    ) -> tuple[Parameter, ...]:
        comments = take(self.comments, start, end)
        if not comments or not parameters:
            return parameters
        trivia, closing = attach(self.text, self._parameter_places, comments, start)
        return tuple(
            Parameter(
                span=parameter.span, pattern=parameter.pattern, type=parameter.type, trivia=around
            )
            for parameter, around in zip(parameters, trivia, strict=True)
        )

    # --- attributes ---

    def meta_path(self, *tokens: Token) -> Path:
        """`a::b`."""
        names = [token for token in tokens if token.value != "::"]
        return Path(
            span=spanning(tokens[0], tokens[-1]),
            segments=tuple(
                PathSegment(span=span_of(name), name=identifier(name)) for name in names
            ),
        )

    def meta(self, path: Path, *rest: Token | Expression | MetaItem) -> MetaItem:
        """`path`, `path = value`, `path(items)`."""
        span = spanning(path, rest[-1] if rest else path)
        if not rest:
            return MetaItem(span=span, path=path)
        nodes = nodes_in(rest)
        first = rest[0]
        if isinstance(first, Token) and first.value == "=":
            return MetaItem(span=span, path=path, value=nodes[0])  # type: ignore[arg-type]
        return MetaItem(span=span, path=path, items=nodes)  # type: ignore[arg-type]

    def meta_value(self, value: Expression) -> MetaItem:
        """A literal among the items."""
        return MetaItem(span=value.span, value=value)

    def attributes_of(self, tokens: Iterable[Token]) -> tuple[Attribute, ...]:
        """The attributes that the lexer cut out as `tokens`."""
        assert self.nested is not None
        return tuple(self.nested.attribute(token.start_pos, token.end_pos) for token in tokens)
