"""All cases, and the runs of them."""

from __future__ import annotations

from tests.corpus.model import Run
from tests.optimise.realistic import columns, elements, images, middle, rows, variations

CASES = (
    *columns.CASES,
    *images.CASES,
    *rows.CASES,
    *elements.CASES,
    *middle.CASES,
    *variations.CASES,
)


RUNS = tuple(
    Run(case=each, shape=shape, dtype=dtype)
    for each in CASES
    for dtype in each.dtypes
    for shape in each.shapes
    if dtype is each.dtypes[0] or shape is each.shapes[0]
)
"""Every case at every shape with its first dtype, and at its first shape with the others."""
