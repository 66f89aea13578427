"""Writing the body of a macro's arm with what its metavariables matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frontend.macros.matching import is_metavariable, metavariables, repetition_at
from transpiler.frontend.macros.trees import Token, Tree, at, led_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from transpiler.frontend.macros.matching import Bindings, Repetition
    from transpiler.frontend.macros.trees import Gap


class TranscriptionError(Exception):
    """The body asks for what the pattern does not give, at `place`."""

    def __init__(self, message: str, place: Tree) -> None:
        super().__init__(message)
        self.place = place


def transcribe(body: Sequence[Tree], bindings: Bindings, mark: Callable[[int], int]) -> list[Tree]:
    """The trees of a body with its metavariables replaced.

    Args:
        body: what stands between the arm's delimiters.
        bindings: what the metavariables matched.
        mark: the syntax context in this expansion of what is written in a given one.

    Raises:
        TranscriptionError: repetitions of the body and the pattern do not fit together.
    """
    result: list[Tree] = []
    index = 0
    while index < len(body):
        tree = body[index]
        repetition = repetition_at(body, index)
        if is_metavariable(body, index):
            name = body[index + 1]
            result.extend(_fragment(name, tree.lead, bindings, mark))
            if isinstance(name, Token) and name.text not in bindings and name.text != "crate":
                result[-1] = tree._replace(context=mark(tree.context))
                result.append(name._replace(context=mark(name.context)))
            index += 2
        elif repetition is not None and not bindings.keys().isdisjoint(
            metavariables(repetition.inner.children)
        ):
            for number, inner in enumerate(_rounds(repetition, bindings)):
                if number and repetition.separator:
                    separator = at(body, index + 2)
                    assert isinstance(separator, Token)  # noqa: S101 - a separator is one
                    result.append(separator._replace(context=mark(separator.context)))
                result.extend(transcribe(repetition.inner.children, inner, mark))
            index += repetition.width
        else:
            result.append(_copied(tree, bindings, mark))
            index += 1
    return result


def _copied(tree: Tree, bindings: Bindings, mark: Callable[[int], int]) -> Tree:
    if isinstance(tree, Token):
        return tree._replace(context=mark(tree.context))
    return tree._replace(
        children=tuple(transcribe(tree.children, bindings, mark)),
        context=mark(tree.context),
        is_verbatim=False,
    )


def _fragment(
    name: Tree, lead: Gap, bindings: Bindings, mark: Callable[[int], int]
) -> Iterator[Tree]:
    """What stands for `$name`; something to be replaced where it is no metavariable of this macro."""
    assert isinstance(name, Token)  # noqa: S101 - `is_metavariable` says so
    bound = bindings.get(name.text)
    if isinstance(bound, list):
        raise TranscriptionError(f"`${name.text}` still repeats here", name)
    if bound is None:
        yield name._replace(lead=lead, context=mark(name.context))
    elif bound:
        yield led_by(bound[0], lead)
        yield from bound[1:]


def _rounds(repetition: Repetition, bindings: Bindings) -> Iterator[Bindings]:
    """The bindings of each round of a repetition."""
    names = dict.fromkeys(metavariables(repetition.inner.children))
    repeated = {name: binding for name in names if isinstance(binding := bindings.get(name), list)}
    if not repeated:
        raise TranscriptionError("nothing repeats in this repetition", repetition.inner)
    (first, rounds), *others = repeated.items()
    for name, each in others:
        if len(each) != len(rounds):
            raise TranscriptionError(
                f"`${first}` is given {_times(len(rounds))} and `${name}` {_times(len(each))}, "
                f"and one repetition holds both",
                repetition.inner,
            )
    for number in range(len(rounds)):
        yield bindings | {name: each[number] for name, each in repeated.items()}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
