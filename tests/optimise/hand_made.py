"""A launch plan made by hand, and the module that has it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from tests.host.loading import load
from transpiler import transpile
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_file
from transpiler.ir.extent import (
    AtLeast,
    Division,
    Extreme,
    Named,
    Number,
    Parameter,
    PowerOfTwo,
    Product,
    Programs,
)
from transpiler.ir.launch_plan import LaunchPlan, Quantity, Scratch, Stage, Tile, Variant
from transpiler.optimise.flags import OptimiseOptions
from transpiler.passes.cfg import Features
from transpiler.passes.context import PassContext
from transpiler.passes.elaborate import elaborate
from transpiler.passes.pipeline import PREPARE, run_passes
from transpiler.pipeline import Options, Result, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from types import ModuleType

    from transpiler.ir.nodes import Kernel, Module

SOURCE = SourceFile("column_sums.rs", Path(__file__).with_name("column_sums.rs").read_text("utf-8"))
OPTIMISED = Options(kernels=("column_sums",), optimise=OptimiseOptions(is_on=True))
N, C = Parameter(3), Parameter(4)


@cache
def prepared(source: SourceFile = SOURCE) -> dict[str, Kernel]:
    """The kernels of a file as an optimiser gets them."""
    sink = Sink()
    module = elaborate(
        parse_file(source, sink),
        source,
        Features(frozenset(), default_features=True),
        sink,
        frozenset(),
    )
    module = run_passes(module, PassContext(sink=sink), PREPARE)
    return {kernel.name: kernel for kernel in module.kernels}


def stage_kernel(name: str) -> Kernel:
    """A kernel of the file as a stage of `column_sums`."""
    return replace(prepared()[name], name=f"column_sums__{name}")


def plan() -> LaunchPlan:
    """Partial sums of 64 rows and more, and their sum; of a matrix that is not tall, one column a program."""
    kernel = prepared()["column_sums"]
    (dtype,) = kernel.dtype_parameters
    columns = Tile(
        name="BLOCK_C",
        default=Extreme((Number(64), PowerOfTwo(C)), is_least=True),
        choices=(16, 32, 64),
        limit=C,
    )
    rows = Tile(name="ROWS", default=Number(64))
    splits = Division(C, Named("BLOCK_C"), is_up=True)
    return LaunchPlan(
        kernel=kernel,
        requires=(AtLeast(value=N, bound=Number(1)), AtLeast(value=C, bound=Number(1))),
        variants=(
            Variant(
                conditions=(AtLeast(value=N, bound=Number(128)),),
                quantities=(
                    Quantity(name="rows", value=Named("ROWS")),
                    Quantity(name="splits", value=Division(N, Named("rows"), is_up=True)),
                ),
                scratch=(
                    Scratch(name="partial_ptr", dtype=dtype, count=Product((Named("splits"), C))),
                ),
                stages=(
                    Stage(
                        kernel=stage_kernel("partial"),
                        grid=(splits, Named("splits")),
                        tiles=(columns, rows),
                        warps=Number(4),
                    ),
                    Stage(
                        kernel=stage_kernel("finish"),
                        grid=(splits,),
                        tiles=(replace(columns, default=Number(16)),),
                        warps=Number(1),
                    ),
                ),
            ),
            Variant(
                conditions=(AtLeast(value=N, bound=Number(64)),),
                quantities=(
                    Quantity(name="rows", value=N),
                    Quantity(name="splits", value=Number(1)),
                ),
                scratch=(Scratch(name="partial_ptr", dtype=dtype, count=C),),
                stages=(
                    Stage(
                        kernel=stage_kernel("partial"),
                        grid=(splits,),
                        tiles=(columns,),
                        warps=Number(2),
                    ),
                    Stage(
                        kernel=stage_kernel("finish"),
                        grid=(Division(Named("grid_x"), Named("BLOCK_C"), is_up=True),),
                        tiles=(columns,),
                        warps=Number(2),
                    ),
                ),
            ),
        ),
    )


def planned(
    launch_plan: LaunchPlan, options: Options = OPTIMISED, source: SourceFile = SOURCE
) -> Result:
    """The module in which a plan stands for its kernel."""
    with patch(
        "transpiler.optimise.driver.optimise",
        lambda *_args, **_keywords: {launch_plan.kernel.name: launch_plan},
    ):
        return transpile_source(source, options)


@cache
def column_sums() -> ModuleType:
    """The module with the plan above, loaded."""
    text = planned(plan()).text
    assert text is not None
    return load(text)


def _copies(module: Module) -> dict[str, LaunchPlan]:
    """For each kernel a plan that launches a copy of it."""
    return {
        kernel.name: LaunchPlan(
            kernel=kernel,
            requires=(),
            variants=(
                Variant(
                    conditions=(),
                    quantities=(),
                    scratch=(),
                    stages=(
                        Stage(
                            kernel=replace(kernel, name=f"{kernel.name}__copy"),
                            grid=tuple(map(Programs, range(3))),
                            tiles=(),
                            warps=Number(4),
                        ),
                    ),
                ),
            ),
        )
        for kernel in module.kernels
    }


def copied(path: Path) -> str:
    """The module of a file in which each kernel is launched by a copy of it."""
    with patch("transpiler.optimise.driver.optimise", lambda module, *_, **__: _copies(module)):
        result = transpile(path, Options(optimise=OptimiseOptions(is_on=True)))
    assert result.text is not None
    return result.text
