"""The generated batch norm kernels on a GPU, against torch and against the memory's limit.

`python benchmarks/bench_kernels.py [--json FILE]` needs a checkout, torch and triton. A row is a kernel, a shape, a
dtype and a block size:

* `us`: the median of many replays of a CUDA graph, so that the time of Python and of launching is left out. The graph
  runs over as many copies of the tensors as it takes to exceed the L2 cache twice: every access comes from memory.
* `GB/s`: the bytes that any implementation has to move (each input once, each output once) by that time.
* `limit`: that rate as a share of what a copy of 1 GiB reaches on the same device in the same run.
* `torch`: how often torch's own kernel fits into that time; above 1, the generated kernel is the slower one.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
EPS = 1e-5
MOMENTUM = 0.1
BLOCKS = (256, 1024, 4096)
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
MATRICES = ((65536, 256), (8192, 4096), (1048576, 64))
IMAGES = ((32, 64, 112, 112), (64, 256, 56, 56), (256, 1024, 14, 14))
REPLAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensors:
    """What the kernels and torch work on: `x` and `dy` of the shape, the rest one value a channel."""

    x: torch.Tensor
    y: torch.Tensor
    dy: torch.Tensor
    dx: torch.Tensor
    weight: torch.Tensor
    bias: torch.Tensor
    mean: torch.Tensor
    rstd: torch.Tensor
    running_mean: torch.Tensor
    running_var: torch.Tensor
    dweight: torch.Tensor
    dbias: torch.Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A kernel: how it is launched, what torch does instead, and the passes over `x` that it cannot do without."""

    kernel: str
    launch: Callable[[Tensors, int], None]
    instead: Callable[[Tensors], object]
    result: Callable[[Tensors], torch.Tensor]
    expected: Callable[[object], torch.Tensor]
    passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement."""

    kernel: str
    shape: tuple[int, ...]
    dtype: str
    block: int
    microseconds: float
    torch_microseconds: float
    gigabytes_per_second: float
    share_of_limit: float

    def line(self) -> str:
        """The row as the table shows it."""
        shape = "×".join(map(str, self.shape))
        return (
            f"{self.kernel:38}{shape:>18}{self.dtype:>6}{self.block:>6}{self.microseconds:10.1f}"
            f"{self.gigabytes_per_second:8.0f}{self.share_of_limit:8.0%}"
            f"{self.microseconds / self.torch_microseconds:8.2f}"
        )


def make(shape: tuple[int, ...], dtype: torch.dtype) -> Tensors:
    """Tensors of one shape, drawn on the device."""

    def full() -> torch.Tensor:
        return torch.randn(shape, device="cuda", dtype=dtype)

    def channel() -> torch.Tensor:
        return torch.rand(shape[1], device="cuda", dtype=dtype) + 0.5

    channels = [channel() for _ in range(8)]
    return Tensors(
        x=full(),
        y=full(),
        dy=full(),
        dx=full(),
        weight=channels[0],
        bias=channels[1],
        mean=channels[2],
        rstd=channels[3],
        running_mean=channels[4],
        running_var=channels[5],
        dweight=channels[6],
        dbias=channels[7],
    )


def matrix_workloads(module: ModuleType) -> Iterator[Workload]:
    """The kernels over `x[N, C]`."""

    def inference(t: Tensors, block: int) -> None:
        n, c = t.x.shape
        module.batch_norm_forward_inference[(c,)](
            t.x, t.y, t.weight, t.bias, t.running_mean, t.running_var, n, c, EPS, BLOCK_N=block
        )

    def stats(t: Tensors, block: int) -> None:
        n, c = t.x.shape
        module.batch_norm_stats_forward[(c,)](
            t.x,
            t.mean,
            t.rstd,
            t.running_mean,
            t.running_var,
            n,
            c,
            EPS,
            MOMENTUM,
            BLOCK_N=block,
        )

    def normalize(t: Tensors, block: int) -> None:
        n, c = t.x.shape
        module.batch_norm_normalize_forward[(c,)](
            t.x, t.y, t.weight, t.bias, t.mean, t.rstd, n, c, BLOCK_N=block
        )

    def backward(t: Tensors, block: int) -> None:
        n, c = t.x.shape
        module.batch_norm_backward[(c,)](
            t.dy,
            t.x,
            t.dx,
            t.weight,
            t.mean,
            t.rstd,
            t.dweight,
            t.dbias,
            n,
            c,
            BLOCK_N=block,
        )

    yield Workload(
        kernel="batch_norm_forward_inference",
        launch=inference,
        instead=_torch_inference,
        result=lambda t: t.y,
        expected=_itself,
        passes=2,
    )
    yield Workload(
        kernel="batch_norm_stats_forward",
        launch=stats,
        instead=lambda t: torch.batch_norm_stats(t.x, EPS),
        result=lambda t: t.mean,
        expected=_first,
        passes=1,
    )
    yield Workload(
        kernel="batch_norm_normalize_forward",
        launch=normalize,
        instead=lambda t: torch.batch_norm_elemt(
            t.x, t.weight.float(), t.bias.float(), t.mean.float(), t.rstd.float(), EPS
        ),
        result=lambda t: t.y,
        expected=_itself,
        passes=2,
    )
    yield Workload(
        kernel="batch_norm_backward",
        launch=backward,
        instead=lambda t: torch.ops.aten.native_batch_norm_backward(
            *(t.dy, t.x, t.weight, None, None, t.mean.float(), t.rstd.float(), True, EPS),
            [True, True, True],
        ),
        result=lambda t: t.dx,
        expected=_first,
        passes=3,
    )


def image_workloads(module: ModuleType) -> Iterator[Workload]:
    """The kernels over `x[B, C, H, W]`."""

    def inference(t: Tensors, block: int) -> None:
        b, c, h, w = t.x.shape
        module.batch_norm_2d_nchw_forward_inference[(c, b)](
            t.x, t.y, t.weight, t.bias, t.running_mean, t.running_var, c, h * w, EPS, BLOCK_HW=block
        )

    def backward(t: Tensors, block: int) -> None:
        b, c, h, w = t.x.shape
        module.batch_norm_2d_nchw_backward[(c,)](
            t.dy,
            t.x,
            t.dx,
            t.weight,
            t.running_mean,
            t.running_var,
            t.dweight,
            t.dbias,
            b,
            c,
            h * w,
            EPS,
            BLOCK_HW=block,
        )

    yield Workload(
        kernel="batch_norm_2d_nchw_forward_inference",
        launch=inference,
        instead=_torch_inference,
        result=lambda t: t.y,
        expected=_itself,
        passes=2,
    )
    yield Workload(
        kernel="batch_norm_2d_nchw_backward",
        launch=backward,
        instead=lambda t: torch.ops.aten.native_batch_norm_backward(
            *(t.dy, t.x, t.weight, t.running_mean, t.running_var, None, None, False, EPS),
            [True, True, True],
        ),
        result=lambda t: t.dx,
        expected=_first,
        passes=3,
    )


def _torch_inference(t: Tensors) -> torch.Tensor:
    return torch.nn.functional.batch_norm(
        t.x, t.running_mean, t.running_var, t.weight, t.bias, training=False, eps=EPS
    )


def _itself(value: object) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError(value)
    return value


def _first(value: object) -> torch.Tensor:
    if not isinstance(value, tuple):
        raise TypeError(value)
    return _itself(value[0])


def microseconds(run: Callable[[Tensors], object], copies: list[Tensors]) -> float:
    """The median time of one run, over all copies in turns, by replaying a graph of them."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call] # so torch leaves it
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # compiles, and settles torch's workspaces
        for copy in copies[:2]:
            run(copy)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for copy in copies:
            run(copy)
    return 1e6 * _seconds(graph.replay) / len(copies)


def _seconds(run: Callable[[], object]) -> float:
    """The median time of a run on the device, after three that do not count."""
    times: list[float] = []
    for _ in range(REPLAYS + 3):
        start, end = (
            torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call] # so torch leaves it
            for _ in range(2)
        )
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1000)
    return statistics.median(times[3:])


def bandwidth() -> float:
    """What a copy of 1 GiB reaches, reading and writing, in bytes a second."""
    source = torch.empty(2**30, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return 2 * source.numel() / _seconds(lambda: target.copy_(source))


def measure(
    module: ModuleType, limit: float, dtypes: list[str], blocks: list[int]
) -> Iterator[Row]:
    """All rows, as they are measured."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    groups = (
        (MATRICES, tuple(matrix_workloads(module))),
        (IMAGES, tuple(image_workloads(module))),
    )
    for shapes, workloads in groups:
        for shape in shapes:
            for dtype in dtypes:
                first = make(shape, DTYPES[dtype])
                size = first.x.numel() * first.x.element_size()
                copies = [
                    first,
                    *(make(shape, DTYPES[dtype]) for _ in range(2 * cache // size + 1)),
                ]
                for workload in workloads:
                    theirs = microseconds(workload.instead, copies)
                    for block in blocks:
                        workload.launch(first, block)
                        check(workload, first)
                        ours = microseconds(
                            lambda t, w=workload, b=block: w.launch(t, b),  # type: ignore[misc] # mypy cannot infer it
                            copies,
                        )
                        rate = workload.passes * size / (ours / 1e6)
                        yield Row(
                            kernel=workload.kernel,
                            shape=shape,
                            dtype=dtype,
                            block=block,
                            microseconds=ours,
                            torch_microseconds=theirs,
                            gigabytes_per_second=rate / 1e9,
                            share_of_limit=rate / limit,
                        )


def check(workload: Workload, tensors: Tensors) -> None:
    """That what is timed is right, roughly; the tests check it finely.

    Raises:
        AssertionError: it is not.
    """
    expected = workload.expected(workload.instead(tensors)).double()
    difference = (workload.result(tensors).double() - expected).abs().max()
    scale = expected.abs().max().clamp(min=1)
    if not difference <= 0.02 * scale:
        raise AssertionError(f"{workload.kernel} is off by {difference.item():.3g}")


def load(path: Path) -> ModuleType:
    """The generated module at `path`.

    Raises:
        FileNotFoundError: there is none.
    """
    spec = importlib.util.spec_from_file_location("generated_batchnorm", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--module", type=Path, default=ROOT / "generated/batchnorm.py")
    parser.add_argument("--json", type=Path, help="where to write the rows as JSON")
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=list(DTYPES))
    parser.add_argument("--block", nargs="+", type=int, default=list(BLOCKS))
    given = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("needs a CUDA device")
    module = load(given.module)
    limit = bandwidth()
    device = torch.cuda.get_device_name()
    print(f"{device}, torch {torch.__version__}; a copy reaches {limit / 1e9:.0f} GB/s")
    print(
        f"{'kernel':38}{'shape':>18}{'dtype':>6}{'block':>6}{'us':>10}{'GB/s':>8}{'limit':>8}{'torch':>8}"
    )
    rows = []
    for row in measure(module, limit, given.dtype, given.block):
        rows.append(row)
        print(row.line(), flush=True)
    if given.json is not None:
        report = {
            "device": device,
            "torch": torch.__version__,
            "copy_bytes_per_second": limit,
            "rows": [asdict(row) for row in rows],
        }
        given.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
