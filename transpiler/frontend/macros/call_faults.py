"""What is wrong with a macro call, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.frontend.faults import Fault
from transpiler.frontend.macros.trees import Token, Tree, is_token
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.frontend.macros.definitions import Macro
    from transpiler.frontend.macros.origins import CallSite
    from transpiler.frontend.macros.transcription import TranscriptionError
    from transpiler.frontend.macros.trees import Group

RECURSION_LIMIT = 128
"""How deep expansions may hold each other, as in Rust."""


def no_arm(macro: Macro, site: CallSite, furthest: Tree | None, text: str) -> Fault:
    """No arm matches; the one that came furthest stopped at the tree `furthest`, or at the end."""
    place = Label(span=Span(macro.name.start, macro.name.end), message="the macro is here")
    patterns = [_pattern_text(arm.pattern, text) for arm in macro.arms]
    shown = ", ".join(f"`{pattern}`" for pattern in patterns[:4])
    span, label = site.span, "the call ends too early"
    if furthest is not None:
        label = "no arm takes this"
        if furthest.context == site.context:
            end = furthest.end if isinstance(furthest, Token) else furthest.start + 1
            span = Span(furthest.start, max(end, furthest.start + 1))
    return Fault(
        code="E0117",
        message=f"no arm of the macro `{site.name}` matches this call",
        span=span,
        label=label,
        related=(place,),
        help=f"it takes {shown}{' and more' if len(patterns) > 4 else ''}",
    )


def _pattern_text(pattern: Group, text: str) -> str:
    words = " ".join(text[pattern.start + 1 : pattern.end - 1].split())
    return words if len(words) <= 60 else f"{words[:57]}..."


def endless(site: CallSite, *, is_wide: bool) -> Fault:
    """Expansions hold each other too deeply, or have become too large."""
    chain: list[str] = []
    outer: CallSite | None = site
    while outer is not None:
        chain.append(f"`{outer.name}!`")
        outer = outer.outer
    chain.reverse()
    names = chain if len(chain) <= 8 else [*chain[:4], "…", *chain[-3:]]
    limit = (
        "what it expands to is too large"
        if is_wide
        else f"an expansion may hold another, {RECURSION_LIMIT} deep"
    )
    return Fault(
        code="E0118",
        message=f"the macro `{site.name}` expands without end",
        span=site.span,
        notes=(f"the calls are {' → '.join(names)}",),
        help=f"{limit}: give it an arm that ends the recursion",
    )


def unfit(site: CallSite, problem: TranscriptionError) -> Fault:
    """The body of an arm asks for what its pattern does not give."""
    place = problem.place
    return Fault(
        code="E0120",
        message=f"the body of the macro `{site.name}` does not fit its pattern: {problem}",
        span=site.span,
        related=(Label(span=Span(place.start, place.end), message="here"),),
        help="a metavariable stands in the body under as many `$( … )` as in the pattern",
    )


def out_of_scope(macro: Macro, path: Sequence[Tree]) -> Fault:
    """There is such a macro, and it cannot be called here."""
    name = macro.name
    is_later = name.start > path[0].start
    return Fault(
        code="E0121",
        message=f"the macro `{name.text}` cannot be called here",
        span=Span(path[0].start, path[-1].end),
        label="called before its definition" if is_later else "out of its scope",
        related=(Label(span=Span(name.start, name.end), message="it is defined here"),),
        help=f"move the definition of `{name.text}` above the function"
        if is_later
        else f"move the definition of `{name.text}` out of its block or module, above this",
    )


def not_an_expression(macro: Macro, children: Sequence[Tree], site: CallSite) -> Fault | None:
    """The fault of a body of statements where a value is wanted."""
    culprit = next((tree for tree in children if is_token(tree, ";")), None)
    if children and not is_token(children[0], "let") and culprit is None:
        return None
    name = Label(span=Span(macro.name.start, macro.name.end), message="the macro is here")
    gives = "nothing" if not children else "statements"
    return Fault(
        code="E0122",
        message=f"the macro `{site.name}` gives {gives}, and a value is expected here",
        span=site.span,
        related=(name,),
        help="write its body in braces of its own, with the value last: `=> {{ …; value }}`",
    )
