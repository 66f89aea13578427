"""Each operation is exercised with every dtype its row accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.catalogue import all_runs
from tests.conformance.runner import translated
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter
from transpiler.ir.visit import walk_block
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from transpiler.ops.model import Op

_NOT_EXERCISED: dict[tuple[str, str], tuple[frozenset[DType], str]] = {
    ("inline_asm_elementwise", "D"): (
        frozenset(DType) - {DType.I32},
        "an instruction and its constraints are for one dtype, and the text is passed on as it is",
    ),
}
"""For an operation and a generic: the dtypes no case has, and why."""


def accepted(op: Op) -> dict[str, set[DType]]:
    """The dtypes of each generic of an operation."""
    names = [name for name, _ in op.parsed.generics]
    if op.instances:
        return {name: {each[index] for each in op.instances} for index, name in enumerate(names)}
    return {
        name: set(bound.dtypes) & op.dtypes.get(name, frozenset(DType))
        for name, bound in op.parsed.generics
    }


@pytest.fixture(scope="module")
def exercised() -> dict[tuple[str, str], set[DType]]:
    """The dtypes of each generic of each operation over all runs."""
    found: dict[tuple[str, str], set[DType]] = {}
    for run in all_runs():
        calls = [
            node
            for node in walk_block(translated(run.case.rust).kernel.body)
            if isinstance(node, ir.OpCall) and node.op.name in run.case.operations
        ]
        for node in calls:
            for (name, _), dtype in zip(node.op.parsed.generics, node.dtypes, strict=True):
                own = run.dtype if isinstance(dtype, DtypeParameter) else dtype
                if isinstance(own, DType):
                    found.setdefault((node.op.name, name), set()).add(own)
        # What makes descriptors is taken apart on the way.
        for operation in {*run.case.operations} - {node.op.name for node in calls}:
            for name, _ in OPS[operation].parsed.generics:
                if run.dtype is not None:
                    found.setdefault((operation, name), set()).add(run.dtype)
    return found


@pytest.mark.parametrize("op", OPS.values(), ids=OPS.keys())
def test_every_dtype_an_operation_accepts_has_a_run(
    op: Op, exercised: dict[tuple[str, str], set[DType]]
) -> None:
    for name, dtypes in accepted(op).items():
        excused, reason = _NOT_EXERCISED.get((op.name, name), (frozenset(), ""))
        assert not excused or len(reason) > 20, op.name
        missing = dtypes - exercised.get((op.name, name), set())
        assert {dtype.value for dtype in missing} == {dtype.value for dtype in excused}, name


def test_no_reason_is_for_nothing() -> None:
    known = {(op.name, name) for op in OPS.values() for name, _ in op.parsed.generics}
    assert _NOT_EXERCISED.keys() <= known
