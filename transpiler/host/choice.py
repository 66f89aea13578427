"""Which kernel of the file an operator launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.packing import Packed, packed
from transpiler.host.struct_names import words_of
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transpiler.host.packing import Resolve
    from transpiler.host.pushes import Push
    from transpiler.ir import nodes as ir


class Chosen(NamedTuple):
    """A kernel and what is packed for it."""

    kernel: ir.Kernel
    packed: Packed


class UnknownKernelError(Exception):
    """Several kernels may be meant, or none."""

    def __init__(self, candidates: tuple[ir.Kernel, ...] = ()) -> None:
        super().__init__(candidates)
        self.candidates = candidates


def chosen(
    packings: list[tuple[Push, ...]],
    levels: Sequence[tuple[ir.Kernel, ...]],
    names: tuple[tuple[str, ...], ...],
    resolve: Resolve,
    *,
    told: int,
    is_backward: bool,
) -> Chosen:
    """The kernel whose parameters take what all `packings` push, or the one that is meant where they do not.

    Args:
        packings: what is packed, for each launch there may be.
        levels: the kernels that may be meant, those that are named most plainly first.
        names: the words of each name that may settle between several, the better ones first.
        resolve: what other methods push.
        told: how many of the first levels leave no choice, where they hold one kernel.
        is_backward: whether it computes gradients.

    Raises:
        UnknownKernelError: several may be meant, or none.
    """
    for place, level in enumerate(levels):
        if place < told and len(level) == 1:
            return Chosen(level[0], _packed(packings, level[0], resolve))
        fitting = [
            (kernel, found)
            for kernel in level
            if (found := _packed(packings, kernel, resolve)).mismatch is None
        ]
        if len(fitting) > 1:
            named = _named(names, [kernel for kernel, _ in fitting])
            fitting = [each for each in fitting if each[0] in named] or fitting
        if len(fitting) > 1:
            same = [each for each in fitting if _computes_gradients(each[0]) is is_backward]
            fitting = same or fitting
        if len(fitting) == 1:
            return Chosen(*fitting[0])
        if fitting:
            raise UnknownKernelError(tuple(kernel for kernel, _ in fitting))
    # The last level is all kernels there are, of which none has to be meant.
    meant = next(filter(None, levels[:-1]), ())
    meant = tuple(_named(names, meant or levels[-1])) or meant
    if len(meant) == 1:
        return Chosen(meant[0], _packed(packings, meant[0], resolve))
    raise UnknownKernelError


_FORWARD = frozenset({"forward", "fwd"})
_BACKWARD = frozenset({"backward", "bwd", "grad"})


def plain_words(name: str) -> tuple[str, ...]:
    """The words of a kernel's name, or of its struct's, without those that tell which way it goes."""
    words = words_of(name)
    return tuple(word for word in words if word not in _FORWARD | _BACKWARD) or words


def _computes_gradients(kernel: ir.Kernel) -> bool:
    """Whether a kernel's name says so."""
    return not _BACKWARD.isdisjoint(words_of(kernel.name))


def _packed(packings: list[tuple[Push, ...]], kernel: ir.Kernel, resolve: Resolve) -> Packed:
    """What all packings together pack for a kernel, or where the first stops fitting that does."""
    found = [packed(pushes, kernel, resolve) for pushes in packings]
    wrong = next((each for each in found if each.mismatch is not None), None)
    if wrong is not None:
        return wrong
    return Packed(
        visits=tuple(
            tuple(visit for each in found for visit in each.visits[place])
            for place in range(len(kernel.parameters))
        )
    )


def _named(names: tuple[tuple[str, ...], ...], kernels: Iterable[ir.Kernel]) -> list[ir.Kernel]:
    """The kernels that are called as the first of the names says that says something.

    That is best the whole name of the kernel, then the beginning of it, then words that it holds in their order.
    """
    found: list[list[ir.Kernel]] = [[] for _ in range(4 * len(names))]
    for kernel in kernels:
        own, plain = words_of(kernel.name), plain_words(kernel.name)
        for place, words in enumerate(names):
            same, begins, holds, joined = found[4 * place : 4 * place + 4]
            if plain == words:
                same.append(kernel)
            if plain[: len(words)] == words:
                begins.append(kernel)
            if _is_subsequence(words, own):
                holds.append(kernel)
            if _is_joined(words, "".join(own)):
                joined.append(kernel)
    return next(filter(None, found), [])


def _is_subsequence(words: tuple[str, ...], of: tuple[str, ...]) -> bool:
    rest = iter(of)
    return all(word in rest for word in words)


def _is_joined(words: tuple[str, ...], text: str) -> bool:
    """Whether the words stand in a name in their order, however it parts its own: `norm2d` is in `norm_2d`."""
    place = 0
    for word in words:
        place = text.find(word, place)
        if place < 0:
            return False
        place += len(word)
    return True
