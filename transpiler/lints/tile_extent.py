"""Tiles whose extent is no power of two, whatever the block size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import LaneAtom

if TYPE_CHECKING:
    from transpiler.lints.lint import Subject


def tile_extent(subject: Subject) -> None:
    """Report lanes that are an odd multiple of a const generic; literal extents are errors already."""
    values = subject.facts.values
    for call in subject.facts.flow.intervals:
        for atom in values.atoms_of(values.polynomial(call)):
            if not isinstance(atom, LaneAtom) or len(atom.extent.terms) != 1:
                continue
            ((product, factor),) = atom.extent.terms
            odd = abs(factor)
            while odd and odd % 2 == 0:
                odd //= 2
            if not product or odd <= 1:
                continue
            subject.sink.emit(
                "W0603",
                "the extent of this tile is no power of two, whatever the block size",
                call.span,
                label=f"it has a factor of {odd}",
                help="take the next power of two and mask the lanes beyond, or use several tiles",
            )
