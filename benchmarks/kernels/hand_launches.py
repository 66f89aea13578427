"""How the kernels in `hand_written/` are launched, and the configurations they are tuned over."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import torch

from benchmarks.hand_written import gradients, images, normalise, statistics
from benchmarks.kernels.contestants import Candidate, Contestant, Name, Run
from benchmarks.kernels.workloads import Arguments, Outputs, Row

if TYPE_CHECKING:
    from transpiler.ir.types import DType

Configuration: TypeAlias = Mapping[str, int]
"""Numbers by name: tiles of the pass that sums (`sum_rows`, `sum_columns`, `sum_warps`, ...), and of the pass that
writes (`rows`, `columns`, `warps`, ...)."""

_Launch: TypeAlias = Callable[[Arguments, Configuration], Outputs]

TUNED = Path(__file__).resolve().parents[1] / "hand_written.json"
"""The quickest configurations found, by row and dtype."""

_TILE = 8192
"""Elements of a tile in the kernels that add partial sums."""


def hand_written_contestant(row: Row, dtype: DType) -> Contestant:
    """The kernels in the configuration that was the quickest when they were tuned."""
    configuration = tuned().get(f"{row.key}-{dtype.value}", default(row))
    return Contestant(name=Name.HAND_WRITTEN, candidates=(candidate(row, configuration),))


def tuned() -> dict[str, Configuration]:
    """What tuning found, if the kernels were tuned."""
    if not TUNED.exists():
        return {}
    found: dict[str, Configuration] = json.loads(TUNED.read_text("utf-8"))
    return found


def candidate(row: Row, configuration: Configuration) -> Candidate:
    """The kernels in one configuration."""
    launch = {
        "batch_norm_forward_inference": _normalise,
        "batch_norm_stats_forward": _stats,
        "batch_norm_backward": _backward,
        "batch_norm_2d_nchw_forward_inference": _normalise,
        "batch_norm_2d_nchw_backward": _frozen_backward,
    }[row.kernel]
    note = ", ".join(f"{name}={value}" for name, value in configuration.items())
    return Candidate(note=note, run=_bound(launch, configuration))


def default(row: Row) -> Configuration:
    """A configuration that is good for most shapes of a kernel."""
    return {name: value for group in sweep(row) for name, value in group[0].items()}


def all_candidates(row: Row) -> tuple[Candidate, ...]:
    """Every configuration of each group, with the defaults of the others."""
    base = default(row)
    return tuple(candidate(row, {**base, **each}) for group in sweep(row) for each in group)


def sweep(row: Row) -> tuple[tuple[Configuration, ...], ...]:
    """Groups of configurations, tuned one after another; the first of each group is the default."""
    width = _columns(row)
    match row.kernel:
        case "batch_norm_forward_inference" | "batch_norm_2d_nchw_forward_inference":
            return (_writing(width),)
        case "batch_norm_stats_forward":
            return (_summing(width), _FUSED)
        case "batch_norm_backward":
            return (_summing(width), _FUSED, _writing(width))
        case "batch_norm_2d_nchw_backward":
            positions = math.prod(row.shape[2:])
            return (_planes(row), _FUSED) if positions >= 256 else (_summing(width),)
        case _:
            raise ValueError(row.kernel)


_FUSED: tuple[Configuration, ...] = ({"fused": 1}, {"fused": 0})
"""Whether the last program adds the partial sums up, or a kernel of its own."""


def _writing(width: int) -> tuple[Configuration, ...]:
    return tuple(
        {"rows": max(1, tile // columns), "columns": columns, "warps": warps, "tiles": tiles}
        for tile, warps in ((4096, 8), (2048, 4), (4096, 4), (8192, 8))
        for columns in _widths(width, (512, 1024, 256, 2048))
        for tiles in (1, 4)
        if columns <= tile
    )


def _summing(width: int) -> tuple[Configuration, ...]:
    return tuple(
        {
            "sum_rows": tile // columns,
            "sum_columns": columns,
            "sum_warps": warps,
            "sum_programs": programs,
            "sum_stages": stages,
        }
        for tile, warps in ((4096, 8), (2048, 4), (8192, 8))
        for columns in _widths(width, (128, 256, 64))
        for programs in (4, 2, 8)
        for stages in (1, 3)
    )


def _planes(row: Row) -> tuple[Configuration, ...]:
    batch = row.shape[0]
    return tuple(
        {"positions": positions, "warps": warps, "splits": splits, "stages": stages}
        for positions, warps in ((1024, 4), (4096, 8), (2048, 4), (2048, 8), (512, 4))
        for splits in sorted({min(batch, each) for each in (8, 16, 32, 64)}, reverse=True)
        for stages in (1, 2)
    )


def _widths(width: int, offered: tuple[int, ...]) -> tuple[int, ...]:
    """The offered widths of tiles that do not stand out of the matrix, and the least that covers it."""
    covering = _power(width)
    return tuple(each for each in offered if each <= width) or (covering,)


def _parts(whole: int, part: int) -> int:
    return -(-whole // part)


def _power(number: int) -> int:
    """The least power of two that is not below a number."""
    return 1 << (number - 1).bit_length()


def _columns(row: Row) -> int:
    return math.prod(row.shape[1:])


def _bound(launch: _Launch, configuration: Configuration) -> Run:
    return lambda arguments: launch(arguments, configuration)


@cache
def _tickets(device: torch.device) -> torch.Tensor:
    """A counter for each block of columns; every launch leaves zeros behind."""
    return torch.zeros(65536, dtype=torch.int32, device=device)


def _matrix(x: torch.Tensor) -> tuple[int, int, int]:
    """The extents as the kernels see them: rows, columns, and the columns of a channel."""
    columns = math.prod(x.shape[1:])
    return x.shape[0], columns, columns // x.shape[1]


def _normalise(a: Arguments, c: Configuration) -> Outputs:
    t = a.tensors
    rows, columns, positions = _matrix(a.x)
    grid = _parts(columns, c["columns"]) * _parts(rows, c["rows"] * c["tiles"])
    normalise.normalise[(grid,)](
        *(t["x"], t["y"], t["weight"], t["bias"], t["running_mean"], t["running_var"]),
        *(rows, a.numbers["eps"]),
        COLUMNS=columns,
        POSITIONS=positions,
        BLOCK_ROWS=c["rows"],
        BLOCK_COLUMNS=c["columns"],
        TILES=c["tiles"],
        num_warps=c["warps"],
    )
    return {"y": t["y"]}


def _splits(rows: int, columns: int, c: Configuration, device: torch.device) -> int:
    """Into how many parts the rows go for every processor of the device to have its programs."""
    processors = (
        torch.cuda.get_device_properties(device).multi_processor_count
        if device.type == "cuda"
        else 2
    )
    wanted = c["sum_programs"] * processors // _parts(columns, c["sum_columns"])
    return max(1, min(wanted, _parts(rows, c["sum_rows"])))


def _finishing(columns: int, splits: int) -> tuple[int, int]:
    """The tile of the kernels that add partial sums, rows and columns: enough programs, and few turns of the loop."""
    block = min(_power(_parts(columns, 128)), 32)
    return min(_power(splits), _TILE // block), block


def _stats(a: Arguments, c: Configuration) -> Outputs:
    t = a.tensors
    rows, columns, _ = _matrix(a.x)
    splits = _splits(rows, columns, c, a.x.device)
    partials = torch.empty((2, splits, columns), dtype=torch.float32, device=a.x.device)
    numbers = (rows, a.numbers["eps"], a.numbers["momentum"])
    outputs = {name: t[name] for name in ("mean", "rstd", "running_mean", "running_var")}
    statistics.stats_partials[(_parts(columns, c["sum_columns"]) * splits,)](
        *(t["x"], partials[0], partials[1], _tickets(a.x.device)),
        *(t["mean"], t["rstd"], t["running_mean"], t["running_var"], *numbers),
        COLUMNS=columns,
        BLOCK_ROWS=c["sum_rows"],
        BLOCK_COLUMNS=c["sum_columns"],
        SPLITS=splits,
        STAGES=c["sum_stages"],
        IS_FUSED=bool(c["fused"]),
        BLOCK_SPLITS=min(_power(splits), max(1, _TILE // c["sum_columns"])),
        num_warps=c["sum_warps"],
    )
    if c["fused"]:
        return outputs
    block_splits, block = _finishing(columns, splits)
    statistics.stats_finish[(_parts(columns, block),)](
        *(t["x"], partials[0], partials[1]),
        *(t["mean"], t["rstd"], t["running_mean"], t["running_var"], *numbers),
        COLUMNS=columns,
        SPLITS=splits,
        BLOCK_SPLITS=block_splits,
        BLOCK_COLUMNS=block,
    )
    return outputs


def _backward(a: Arguments, c: Configuration) -> Outputs:
    t = a.tensors
    rows, columns, _ = _matrix(a.x)
    splits = _splits(rows, columns, c, a.x.device)
    partials = torch.empty((2, splits, columns), dtype=torch.float32, device=a.x.device)
    totals = torch.empty((2, columns), dtype=torch.float32, device=a.x.device)
    gradients.gradient_partials[(_parts(columns, c["sum_columns"]) * splits,)](
        *(t["dy"], t["x"], t["mean"], t["rstd"], partials[0], partials[1]),
        *(_tickets(a.x.device), totals, t["dbias"], t["dweight"], rows),
        COLUMNS=columns,
        BLOCK_ROWS=c["sum_rows"],
        BLOCK_COLUMNS=c["sum_columns"],
        SPLITS=splits,
        STAGES=c["sum_stages"],
        IS_FUSED=bool(c["fused"]),
        BLOCK_SPLITS=min(_power(splits), max(1, _TILE // c["sum_columns"])),
        num_warps=c["sum_warps"],
    )
    if not c["fused"]:
        block_splits, block = _finishing(columns, splits)
        gradients.gradient_finish[(_parts(columns, block),)](
            *(partials[0], partials[1], totals, t["dbias"], t["dweight"]),
            COLUMNS=columns,
            SPLITS=splits,
            BLOCK_SPLITS=block_splits,
            BLOCK_COLUMNS=block,
        )
    grid = _parts(columns, c["columns"]) * _parts(rows, c["rows"] * c["tiles"])
    gradients.gradient_input[(grid,)](
        *(t["dy"], t["x"], t["dx"], t["weight"], t["mean"], t["rstd"], totals, rows),
        COLUMNS=columns,
        BLOCK_ROWS=c["rows"],
        BLOCK_COLUMNS=c["columns"],
        TILES=c["tiles"],
        num_warps=c["warps"],
    )
    return {name: t[name] for name in ("dx", "dweight", "dbias")}


def _frozen_backward(a: Arguments, c: Configuration) -> Outputs:
    t = a.tensors
    rows, columns, positions = _matrix(a.x)
    channels = a.x.shape[1]
    given = (t["dy"], t["x"], t["dx"], t["weight"], t["running_mean"], t["running_var"])
    outputs = {name: t[name] for name in ("dx", "dweight", "dbias")}
    if "positions" in c:
        # A sum for each program: the parts of a channel lie side by side.
        splits, width = 1, c["splits"]
        partials = torch.empty((2, channels, width), dtype=torch.float32, device=a.x.device)
        images.frozen_gradients_by_plane[(channels * width,)](
            *(*given, partials[0], partials[1], _tickets(a.x.device)),
            *(t["dbias"], t["dweight"], rows, a.numbers["eps"]),
            COLUMNS=columns,
            POSITIONS=positions,
            BLOCK_POSITIONS=c["positions"],
            SPLITS=width,
            STAGES=c["stages"],
            IS_FUSED=bool(c["fused"]),
            BLOCK_SPLITS=_power(width),
            num_warps=c["warps"],
        )
        if c["fused"]:
            return outputs
    else:
        splits, width = _splits(rows, columns, c, a.x.device), positions
        partials = torch.empty((2, splits, columns), dtype=torch.float32, device=a.x.device)
        images.frozen_gradients_by_lane[(_parts(columns, c["sum_columns"]) * splits,)](
            *(*given, partials[0], partials[1], rows, a.numbers["eps"]),
            COLUMNS=columns,
            POSITIONS=positions,
            BLOCK_ROWS=c["sum_rows"],
            BLOCK_COLUMNS=c["sum_columns"],
            SPLITS=splits,
            STAGES=c["sum_stages"],
            num_warps=c["sum_warps"],
        )
    block_width = _power(width)
    block = max(1, min(_power(_parts(channels, 128)), 2048 // block_width))
    images.frozen_finish[(_parts(channels, block),)](
        *(partials[0], partials[1], t["dbias"], t["dweight"]),
        CHANNELS=channels,
        SPLITS=splits,
        WIDTH=width,
        BLOCK_CHANNELS=block,
        BLOCK_WIDTH=block_width,
    )
    return outputs
