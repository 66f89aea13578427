"""How large tiles are where nothing else is said, and from which sizes on the launcher takes which variant.

They were measured on an H200.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir.extent import Lookup, Number
from transpiler.optimise.nests.extents import least, rounded_down
from transpiler.optimise.widening.widen_frame import Order
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transpiler.ir.extent import Extent


class Bytes(NamedTuple):
    """As many lanes as have so many bytes."""

    of_lanes: int


BySize: TypeAlias = "int | Mapping[int, int]"
"""A number of lanes, or one for each size of elements: 1, 2, 4 and 8 bytes."""


class Shape(NamedTuple):
    """The tiles of a launch, and how many programs are wanted.

    `columns` is the most lanes along memory, `rows` the most in the other direction, `lanes` the most in a tile.
    `programs` is how many programs share out a reduction, whatever the device, so that results do not depend on it; or,
    where each reduces all of its own, how many there should be. Tiles become larger where there are more, and have at
    least `least` indices. `stages` is how many iterations' loads are in flight where the backend's pipeliner is asked
    for it. `column_choices` and `row_choices` are what tuning tries.
    """

    columns: int | Bytes
    lanes: BySize
    column_choices: tuple[int, ...]
    row_choices: tuple[int, ...] = (1, 4, 8, 16, 64)
    rows: BySize | None = None
    programs: int = 0
    least: int = 1
    stages: int = 0


# Two programs of the first kind run on each of the 132 multiprocessors.
STREAMED = Shape(
    columns=64,
    lanes=4096,
    column_choices=(32, 64, 128),
    row_choices=(16, 32, 64, 128),
    programs=264,
    least=16,
    stages=4,
)
"""A reduction of columns that stores nothing: few programs with deep pipelines keep memory busiest."""
WHOLE = Shape(
    columns=32,
    lanes={1: 8192, 2: 8192, 4: 4096, 8: 4096},
    column_choices=(8, 16, 32, 64),
    row_choices=(32, 64, 128, 256),
    rows={1: 256, 2: 256, 4: 128, 8: 128},
    programs=128,
    least=8,
    stages=4,
)
"""The same by programs that do all of their columns alone."""
WHOLE_ROWS = Shape(
    columns=1024,
    lanes={1: 2048, 2: 2048, 4: 1024, 8: 1024},
    column_choices=(256, 512, 1024, 2048),
    row_choices=(1, 2, 4, 8, 16, 32),
    programs=264,
)
"""The same where what is reduced lies along memory, for tiles of rows."""
STORED = Shape(columns=1024, lanes=4096, column_choices=(256, 512, 1024), programs=396)
"""A reduction of columns that stores results for each index as well: three programs fit on each
multiprocessor, and partial results are many, so one wave of them does all."""
ALONG = Shape(columns=1024, lanes=4096, column_choices=(256, 512, 1024), programs=2048)
"""A reduction along columns: a tile leaves one number behind."""
_APPLIED_LANES = {1: 2048, 2: 2048, 4: 512, 8: 256}
# One wide access a thread, but two where elements are narrow: there is more to compute for as many bytes.
APPLIED = Shape(columns=512, lanes=_APPLIED_LANES, column_choices=(256, 512, 1024, 2048))
"""Independent indices, of the grid or of a loop."""
APPLIED_BY_COLUMN = Shape(
    columns=Bytes(256),
    lanes=_APPLIED_LANES,
    column_choices=(32, 64, 128, 256),
)
"""The same where some of what is loaded varies along columns alone, and is there for all rows of a tile."""
APPLIED_FAR_APART = APPLIED_BY_COLUMN._replace(columns=Bytes(512))
"""The same where the rows are an axis of the grid: they do not follow one another in memory as those of a loop do."""
APPLIED_IN_RUNS = Shape(
    columns=Bytes(16),
    lanes={1: 1024, 2: 1024, 4: 512, 8: 256},
    column_choices=(),
    row_choices=(32, 64, 128, 256),
)
"""The same where columns are a run, as many neighbours as one access of a thread has at most."""
CROSSED = Shape(columns=64, lanes=4096, column_choices=(16, 32, 64), row_choices=(16, 32, 64, 128))
"""The same where some accesses are contiguous along columns, others along rows: both want segments of memory."""
COMBINED = Shape(columns=4, lanes=1024, column_choices=(4, 16, 64))
"""Partial results of columns: there are few, so programs are more worth than wide accesses."""
COMBINED_ALONG = Shape(columns=1024, lanes=2048, column_choices=(256, 512, 1024))
"""Partial results that are contiguous along what is reduced."""
IN_REGISTERS = 1 << 13
"""The lanes of all loads of an iteration together, where there are several: more do not fit into registers."""
IN_FLIGHT = 1 << 15
"""Bytes an iteration may load: three iterations of them fit into the shared memory of all GPUs with such pipelines."""
TILES_A_SHARE = 4
"""Of a loop that is shared out, each program has at least so many tiles: their loads overlap."""
WARPS = 4

# --- Variants -------------------------------------------------------------------------------------

FLAT_BELOW = 1024
"""Inner axes shorter than that share lanes with the axis around them."""
WIDEST_ACCESS = 16
"""The bytes of the widest access of a thread. Where no row starts at a multiple of them, but both axes together do, the
axes share lanes too: with 63 by 63 elements, f32 gains 4 % of the time, bf16 16 %.

Runs have as many bytes at most, and pay where they have all of them: up to 23 % of the time where tiles of rows have
idle lanes (f32, rows of 68), up to 3 % where they have none. With 8 bytes, halves lose up to 9 %."""
RUN_TILES = 8
"""Runs that end for each index of other axes have so many tiles to each, the last of which has idle lanes."""
REREAD_FROM = 4
"""Elements of so many bytes gain from runs that load what all rows have for each again. Narrower ones lose 1 % by them
where tiles of rows have no idle lanes."""


class Alone(NamedTuple):
    """Up to how many indices a program reduces alone, rather than share them out and wait for a second launch.

    It does up to `few` in any case, and `each` for each program: where there are many, none is idle meanwhile.
    """

    few: int
    each: int


COLUMNS_ALONE = Alone(few=1024, each=1)
"""For reductions of columns."""
ROWS_ALONE = Alone(few=2048, each=64)
"""For reductions of rows, which lie along memory."""
SHORT_BELOW = 1024
"""Contiguous tiles of a kernel's own are long enough for rows of so many elements."""
SPLIT_BELOW = 256
"""Where a kernel whose loops run over contiguous tiles has fewer programs, its reductions are split."""
SPLIT_TILES = 16
"""They are where these have so many tiles: fewer are done before a second launch has begun."""

# --- Kernels that are widened ---------------------------------------------------------------------


class Warps(NamedTuple):
    """One warp for so many `lanes` of a kernel's own tiles, no fewer than `least` and no more than `most`."""

    least: int
    most: int
    lanes: int = 1


class WidenedShape(NamedTuple):
    """How many programs a tile has: at most `programs`, with no more lanes than `lanes`, and at least `least`.

    It pays where the kernel's own tiles have no more lanes than `own`, and there are `enough` programs. `choices` is
    what tuning tries.
    """

    programs: int
    lanes: int
    least: int
    own: int
    warps: Warps
    choices: tuple[int, ...]
    enough: int = 1


_COLUMNS = WidenedShape(64, 8192, 16, 1024, Warps(4, 16, 64), (8, 16, 32, 64, 128))
# Eight values a thread: enough for the widest loads of halves, and for some of them to be in flight.
_ROWS = WidenedShape(1024, 1024, 1, 512, Warps(4, 4), (1, 2, 4, 8, 16, 32, 64))
# A warp of neighbours, with up to eight values a thread.
_SINGLE = WidenedShape(256, 256, 32, 1, Warps(1, 1), (32, 64, 128, 256, 512))
WIDENED = {Order.PROGRAMS: _COLUMNS, Order.OWN: _ROWS, Order.ALONE: _SINGLE}
"""The tiles of programs without loops, by what lies next to each other in memory."""
WIDENED_LOOPS = {
    # Eight neighbours in f32 are a sector of memory, which is read in any case.
    Order.PROGRAMS: _COLUMNS._replace(least=8, warps=Warps(8, 8), enough=512),
    Order.OWN: _ROWS,
    # Fewer programs run all at once as they are.
    Order.ALONE: _SINGLE._replace(enough=4096),
}
"""Those of programs with loops, which run for long: more of them, so that there are others while one waits."""
WIDENED_PROGRAMS = 264
"""How many tiles there should be before these become larger: two for each multiprocessor of an H200."""

# --- Lanes ----------------------------------------------------------------------------------------


def lanes_of(of: BySize | Bytes, size: int) -> int:
    """A number of lanes for elements of so many bytes."""
    match of:
        case int():
            return of
        case Bytes(of_lanes=total):
            return total // size
        case _:
            return of[size]


def by_size(lanes: Callable[[int], int], size: Extent) -> Extent:
    """What depends on the size of elements alone, in the simplest way to say so."""
    if isinstance(size, Number):
        return Number(lanes(size.value))
    values = {each: lanes(each) for each in _SIZES}
    most, total = values[_SIZES[0]], values[_SIZES[-1]] * _SIZES[-1]
    if len(set(values.values())) == 1:
        return Number(most)
    if all(value == total // each for each, value in values.items()):
        return rounded_down(Number(total), size)
    if all(value == min(most, total // each) for each, value in values.items()):
        return least(Number(most), rounded_down(Number(total), size))
    return Lookup(size, tuple(values.items()))


_SIZES = (1, 2, 4, 8)
"""The bytes that elements may have."""
