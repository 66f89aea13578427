"""Patterns."""

from __future__ import annotations

from dataclasses import replace

from transpiler.frontend.build.base import (
    BuilderBase,
    PathDraft,
    identifier,
    path_of,
    span_of,
    spanning,
)
from transpiler.frontend.lexer import Lexeme
from transpiler.source import Span
from transpiler.syntax.nodes import (
    Expression,
    FieldPattern,
    IdentifierPattern,
    LiteralPattern,
    OrPattern,
    PathPattern,
    Pattern,
    RangePattern,
    ReferencePattern,
    RestPattern,
    SlicePattern,
    StructPattern,
    TuplePattern,
    TupleStructPattern,
    WildcardPattern,
)


class PatternBuilder(BuilderBase):
    """The patterns of `grammar/functions.lark`."""

    def identifier_pattern(self, *tokens: Lexeme) -> IdentifierPattern:
        """`a`, `mut a`, `ref a`."""
        words = {token.value for token in tokens[:-1]}
        return IdentifierPattern(
            span=Span(tokens[0].start_pos, tokens[-1].end_pos),
            name=identifier(tokens[-1]),
            is_mutable="mut" in words,
            is_reference="ref" in words,
            context=self.context(tokens[-1]),
        )

    def binding_pattern(self, *children: Lexeme | Pattern) -> IdentifierPattern:
        """`a @ 1..=5`."""
        *words, _at = (child for child in children if isinstance(child, Lexeme))
        (inner,) = (child for child in children if not isinstance(child, Lexeme))
        return replace(
            self.identifier_pattern(*words),
            span=Span(words[0].start_pos, inner.span.end),
            subpattern=inner,
        )

    def rest_pattern(self, token: Lexeme) -> RestPattern:
        """`..`."""
        return RestPattern(span=span_of(token))

    def wildcard_pattern(self, token: Lexeme) -> WildcardPattern:
        """`_`."""
        return WildcardPattern(span=span_of(token))

    def tuple_pattern(self, *children: Lexeme | Pattern) -> TuplePattern:
        """`(a, b)`."""
        elements = tuple(child for child in children if not isinstance(child, Lexeme))
        return TuplePattern(span=spanning(children[0], children[-1]), elements=elements)

    def grouped_pattern(self, open_: Lexeme, inner: Pattern, close: Lexeme) -> Pattern:
        """`(a)` is `a`, but `(..)` a tuple."""
        if isinstance(inner, RestPattern):
            return TuplePattern(span=spanning(open_, close), elements=(inner,))
        return inner

    def literal_pattern(self, value: Expression) -> LiteralPattern:
        """`1`, `-1`, `true`."""
        return LiteralPattern(span=value.span, value=value)

    def path_pattern(self, draft: PathDraft) -> PathPattern:
        """`Axis::X`."""
        path = draft.finish()
        return PathPattern(span=path.span, path=path)

    def tuple_struct_pattern(
        self, path: Lexeme | PathDraft, *rest: Lexeme | Pattern
    ) -> TupleStructPattern:
        """`Some(a)`."""
        return TupleStructPattern(
            span=spanning(path, rest[-1]),
            path=path_of(path),
            elements=tuple(child for child in rest if not isinstance(child, Lexeme)),
        )

    def struct_pattern(
        self, path: Lexeme | PathDraft, *rest: Lexeme | FieldPattern | RestPattern
    ) -> StructPattern:
        """`Path { a, b: c, .. }`."""
        return StructPattern(
            span=spanning(path, rest[-1]),
            path=path_of(path),
            fields=tuple(child for child in rest if isinstance(child, FieldPattern)),
            has_rest=any(isinstance(child, RestPattern) for child in rest),
        )

    def field_pattern(self, name: Lexeme, _colon: Lexeme, pattern: Pattern) -> FieldPattern:
        """`a: b`."""
        return FieldPattern(span=spanning(name, pattern), name=identifier(name), pattern=pattern)

    def field_shorthand(self, *tokens: Lexeme) -> FieldPattern:
        """`a`, `ref a`."""
        pattern = self.identifier_pattern(*tokens)
        return FieldPattern(
            span=pattern.span, name=pattern.name, pattern=pattern, is_shorthand=True
        )

    def reference_pattern(self, ampersand: Lexeme, *rest: Lexeme | Pattern) -> ReferencePattern:
        """`&a`, `&mut a`; `&&a` is the reference of a reference."""
        inner = next(child for child in rest if not isinstance(child, Lexeme))
        span = spanning(ampersand, inner)
        is_double = ampersand.value == "&&"
        found = ReferencePattern(
            span=Span(span.start + is_double, span.end), pattern=inner, is_mutable=len(rest) > 1
        )
        return ReferencePattern(span=span, pattern=found) if is_double else found

    def slice_pattern(self, *children: Lexeme | Pattern) -> SlicePattern:
        """`[a, b, ..]`."""
        elements = tuple(child for child in children if not isinstance(child, Lexeme))
        return SlicePattern(span=spanning(children[0], children[-1]), elements=elements)

    def or_pattern(self, *children: Lexeme | Pattern) -> OrPattern | Pattern:
        """`a | b`; a leading bar means nothing."""
        alternatives = tuple(child for child in children if not isinstance(child, Lexeme))
        if len(alternatives) == 1:
            return alternatives[0]
        return OrPattern(
            span=spanning(alternatives[0], alternatives[-1]), alternatives=alternatives
        )

    def range_pattern(self, *children: Lexeme | Expression) -> RangePattern:
        """`a..=b`."""
        dots = next(index for index, child in enumerate(children) if isinstance(child, Lexeme))
        return RangePattern(
            span=spanning(children[0], children[-1]),
            start=next((end for end in children[:dots] if isinstance(end, Expression)), None),
            end=next((end for end in children[dots:] if isinstance(end, Expression)), None),
            is_inclusive=any(
                child.value == "..=" for child in children if isinstance(child, Lexeme)
            ),
        )
