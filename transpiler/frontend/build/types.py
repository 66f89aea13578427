"""Paths, types, generic parameters and the heads of functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frontend.build.base import (
    BoundDraft,
    BuilderBase,
    Child,
    GenericList,
    PathDraft,
    identifier,
    span_of,
    spanning,
)
from transpiler.frontend.faults import Fault
from transpiler.frontend.lexer import Lexeme
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
    OpaqueType,
    Parameter,
    Path,
    PathSegment,
    PathType,
    Pattern,
    PointerType,
    ReferenceType,
    TupleType,
    Type,
    TypeParameter,
)
from transpiler.tuples import NamedTuple

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


class TypeBuilder(BuilderBase):
    """Everything that stands in `grammar/items.lark`."""

    # --- paths ---

    def path_start(self, first: Lexeme, *rest: Child) -> PathDraft:
        """`a`, `a<B>`, `a::b`, `a::<B>`."""
        return PathDraft(first.start_pos, is_global=False).add((first, *rest))

    def path_global(self, colons: Lexeme, *rest: Child) -> PathDraft:
        """`::a`."""
        return PathDraft(colons.start_pos, is_global=True).add(rest)

    def path_qualified(self, opening: Lexeme, named: Type, *rest: Lexeme | PathDraft) -> PathDraft:
        """`<a::b>::c` and `<a::b as Trait>::c`, which are `a::b::c`: types here have one `c`."""
        if not isinstance(named, PathType):
            raise Fault(
                code="E0110",
                message="expected the name of a type between `<` and `>`",
                span=named.span,
                label="not a name",
            )
        draft = PathDraft(opening.start_pos, is_global=False)
        draft.segments.extend(named.path.segments)
        return draft.add([child for child in rest if isinstance(child, Lexeme)][-1:])

    def path_more(self, path: PathDraft, *rest: Child) -> PathDraft:
        """`path::a`."""
        return path.add(rest)

    def generic_arguments(self, *children: Child) -> GenericList:
        """`<A, B>`."""
        arguments = tuple(child for child in children if isinstance(child, GenericArgument))
        return GenericList(spanning(children[0], children[-1]), arguments)

    def associated_type(self, name: Lexeme, _equals: Lexeme, type_: Type) -> AssociatedTypeArgument:
        """`Output = T`."""
        return AssociatedTypeArgument(span=spanning(name, type_), name=identifier(name), type=type_)

    def lifetime_argument(self, token: Lexeme) -> LifetimeArgument:
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

    def reference_type(self, ampersand: Lexeme, *rest: Lexeme | Type) -> ReferenceType:
        """`&'a mut T`."""
        *_, referent = (child for child in rest if isinstance(child, Type))
        words = [child for child in rest if isinstance(child, Lexeme)]
        lifetimes = [word.value[1:] for word in words if word.type == "LIFETIME"]
        return ReferenceType(
            span=spanning(ampersand, referent),
            referent=referent,
            is_mutable=any(word.value == "mut" for word in words),
            lifetime=lifetimes[0] if lifetimes else None,
        )

    def pointer_type(self, star: Lexeme, word: Lexeme, pointee: Type) -> PointerType:
        """`*mut T`, `*const T`."""
        return PointerType(
            span=spanning(star, pointee), pointee=pointee, is_mutable=word.value == "mut"
        )

    def double_reference_type(self, ampersands: Lexeme, *rest: Lexeme | Type) -> ReferenceType:
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

    def tuple_type(self, *children: Lexeme | Type) -> TupleType:
        """`()`, `(A, B)`."""
        elements = tuple(child for child in children if not isinstance(child, Lexeme))
        return TupleType(span=spanning(children[0], children[-1]), elements=elements)

    def grouped_type(self, _open: Lexeme, inner: Type, _close: Lexeme) -> Type:
        """`(A)` is `A`."""
        return inner

    def array_type(self, opening: Lexeme, element: Type, *rest: Lexeme | Expression) -> ArrayType:
        """`[T]`, `[T; N]`."""
        length = next((child for child in rest if isinstance(child, Expression)), None)
        return ArrayType(span=spanning(opening, rest[-1]), element=element, length=length)

    def inferred_type(self, token: Lexeme) -> InferredType:
        """`_`."""
        return InferredType(span=span_of(token))

    def opaque_type(self, *children: Child) -> OpaqueType:
        """A type that is kept as written."""
        span = spanning(children[0], children[-1])
        return OpaqueType(span=span, text=self.written(span))

    # --- generic parameters ---

    def bound(self, *children: Child) -> BoundDraft:
        """One bound; only a bare path is kept."""
        only = children[0]
        path = only.finish() if len(children) == 1 and isinstance(only, PathDraft) else None
        return BoundDraft(spanning(only, children[-1]), path)

    def bounds(self, *children: BoundDraft | Lexeme) -> Bounds:
        """`A + B`."""
        drafts = [child for child in children if isinstance(child, BoundDraft)]
        return Bounds(tuple(draft.path for draft in drafts if draft.path is not None))

    def type_parameter(self, name: Lexeme, *rest: Lexeme | Bounds) -> TypeParameter:
        """`D: Float`."""
        last = rest[-1] if rest else None
        bounds = last.paths if isinstance(last, Bounds) else ()
        end = bounds[-1].span.end if bounds else name.end_pos
        return TypeParameter(span=Span(name.start_pos, end), name=identifier(name), bounds=bounds)

    def const_parameter(
        self,
        const: Lexeme,
        name: Lexeme,
        _colon: Lexeme,
        type_: Type,
        *default: Lexeme | Expression,
    ) -> ConstParameter:
        """`const N: i32 = 1`."""
        value = next((child for child in default if isinstance(child, Expression)), None)
        return ConstParameter(
            span=spanning(const, value or type_), name=identifier(name), type=type_, default=value
        )

    def lifetime_parameter(self, *tokens: Lexeme) -> LifetimeParameter:
        """`'a: 'b`."""
        return LifetimeParameter(span=spanning(tokens[0], tokens[-1]), name=tokens[0].value[1:])

    def generics(self, *children: Lexeme | GenericParameter) -> Generics:
        """`<T: Triton, const N: i32>`."""
        return Generics(tuple(child for child in children if not isinstance(child, Lexeme)))

    # --- parameters ---

    def parameter(self, *children: Lexeme | Pattern | Type) -> Parameter:
        """`pattern: type`; attributes mean nothing here."""
        pattern = next(child for child in children if isinstance(child, Pattern))
        type_ = next(child for child in children if isinstance(child, Type))
        return Parameter(span=spanning(pattern, type_), pattern=pattern, type=type_)

    def receiver(self, *children: Child) -> Receiver:
        """`&mut self`."""
        return Receiver(spanning(children[0], children[-1]))

    def parameters(self, *children: Lexeme | Parameter | Receiver) -> Parameters:
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

    def function_head(
        self, _fn: Lexeme, name: Lexeme, *children: Generics | Lexeme | Parameters | Type
    ) -> FunctionHead:
        """`fn name<…>(…) -> T where …`."""
        generics: tuple[GenericParameter, ...] = ()
        parameters = Parameters(None, ())
        return_type: Type | None = None
        where_clause = None
        opening = closing = name.end_pos
        for child in children:
            match child:
                case Generics():
                    generics = child.parameters
                case Parameters():
                    parameters = child
                case Lexeme(type="LPAR"):
                    opening = child.end_pos
                case Lexeme(type="RPAR"):
                    closing = child.start_pos
                case Lexeme(type="WHERE"):
                    where_clause = child.value.removeprefix("where").strip() or None
                case Lexeme():
                    pass
                case _:
                    return_type = child
        return FunctionHead(
            name=identifier(name),
            name_span=span_of(name),
            generics=generics,
            receiver=parameters.receiver,
            parameters=self._with_comments(parameters.parameters, opening, closing),
            return_type=return_type,
            where_clause=where_clause,
        )

    def return_type(self, _arrow: Lexeme, type_: Type) -> Type:
        """`-> T`."""
        return type_

    def _with_comments(
        self, parameters: tuple[Parameter, ...], start: int, end: int
    ) -> tuple[Parameter, ...]:
        comments = take(self.comments, start, end)
        if not comments or not parameters:
            return parameters
        trivia, closing = attach(self.text, self._parameter_places, comments, start)
        if closing:
            trivia[-1] = replace(trivia[-1], leading=trivia[-1].leading + closing)
        return tuple(
            Parameter(
                span=parameter.span, pattern=parameter.pattern, type=parameter.type, trivia=around
            )
            for parameter, around in zip(parameters, trivia, strict=True)
        )

    # --- attributes ---

    def meta_path(self, *tokens: Lexeme) -> Path:
        """`a::b`."""
        names = [token for token in tokens if token.value != "::"]
        return Path(
            span=spanning(tokens[0], tokens[-1]),
            segments=tuple(
                PathSegment(span=span_of(name), name=identifier(name)) for name in names
            ),
        )

    def meta(self, path: Path, *rest: Lexeme | Expression | MetaItem) -> MetaItem:
        """`path`, `path = value`, `path(items)`."""
        span = spanning(path, rest[-1] if rest else path)
        if not rest:
            return MetaItem(span=span, path=path)
        for child in rest:
            if isinstance(child, Expression):
                return MetaItem(span=span, path=path, value=child)
        items = tuple(child for child in rest if isinstance(child, MetaItem))
        return MetaItem(span=span, path=path, items=items)

    def meta_value(self, value: Expression) -> MetaItem:
        """A literal among the items."""
        return MetaItem(span=value.span, value=value)

    def attributes_of(self, tokens: Iterable[Lexeme]) -> tuple[Attribute, ...]:
        """The attributes that the lexer cut out as `tokens`."""
        return tuple(self.nested.attribute(token.start_pos, token.end_pos) for token in tokens)
