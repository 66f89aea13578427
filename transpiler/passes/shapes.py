"""Arithmetic on symbolic shapes."""

from __future__ import annotations

from transpiler.ir.types import (
    Dimension,
    Shape,
    UnknownDimension,
)


def broadcast_dimension(left: Dimension, right: Dimension) -> Dimension | None:
    """The extent both dimensions broadcast to, None where they never do.

    Extent 1 gives way; an unknown extent is taken on trust; two different names are two different extents.
    """
    if right in (left, 1):
        return left
    if left == 1:
        return right
    if isinstance(left, UnknownDimension):
        return right
    if isinstance(right, UnknownDimension):
        return left
    return None


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """The shape both broadcast to, None where they never do; a shorter shape gains dimensions on the left."""
    rank = max(len(left), len(right))
    padded_left = (1,) * (rank - len(left)) + left
    padded_right = (1,) * (rank - len(right)) + right
    result: list[Dimension] = []
    for one, other in zip(padded_left, padded_right, strict=True):
        extent = broadcast_dimension(one, other)
        if extent is None:
            return None
        result.append(extent)
    return tuple(result)


def fits(shape: Shape, target: Shape) -> bool:
    """Whether `shape` broadcasts to exactly `target`."""
    merged = broadcast(shape, target)
    if merged is None or len(merged) != len(target):
        return False
    return all(
        one == other or isinstance(one, UnknownDimension) or isinstance(other, UnknownDimension)
        for one, other in zip(merged, target, strict=True)
    )


def unify_shapes(left: Shape, right: Shape) -> Shape | None:
    """The one shape that both are, None where they differ."""
    if len(left) != len(right):
        return None
    result: list[Dimension] = []
    for one, other in zip(left, right, strict=True):
        if one == other or isinstance(other, UnknownDimension):
            result.append(one)
        elif isinstance(one, UnknownDimension):
            result.append(other)
        else:
            return None
    return tuple(result)


def normalise_axis(axis: int, rank: int) -> int | None:
    """`axis` counted from the left, None where there is no such axis."""
    if -rank <= axis < rank:
        return axis % rank
    return None
