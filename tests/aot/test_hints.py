"""Hints cost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import transpiler
from transpiler.harness import aot

if TYPE_CHECKING:
    from pathlib import Path

_RUST = """\
#[kernel]
pub fn k<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<i32>, n: i32) {{
    let lanes = T::arange(0, BLOCK);
    T::assume({});
    T::store(x_ptr.add_offsets(lanes), lanes, Some(lanes.lt(n)), &[], None, None);
}}
"""


@pytest.mark.parametrize("condition", ["lanes.lt(n)", "T::full::<i32>(&[1], n).gt(0)"])
def test_a_promise_is_not_computed(
    condition: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reduction over the lanes would pass through shared memory, behind a barrier."""
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    result = transpiler.transpile(_RUST.format(condition))
    assert result.text is not None
    with aot.loaded(result.text, "hints") as generated:
        entry = aot.entries(result.plans)[0]
        ptx = aot.compile_entry(generated, entry, aot.parse_target("sm_90"), aot.Stage.ASSEMBLY)
    assert isinstance(ptx, str)
    assert "bar.sync" not in ptx
    assert "shfl" not in ptx
