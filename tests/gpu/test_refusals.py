"""What Triton refuses at the first launch on a GPU is told at the line of the Rust.

It translates Rust, so it needs the compiler and its dependencies, unlike what else stands here.
"""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.gpu

RUST = """#[kernel]
pub fn product<T: Triton, const M: i32>(x_ptr: T::Pointer<f32>, n: i32) {
    let rows = T::arange(0, M);
    T::static_assert(M > 64, "M is too small");
    T::store(x_ptr.add_offsets(rows), T::full::<f32>(&[M], 1.0), Some(rows.lt(n)), &[], None, None);
}
"""


def test_the_first_launch_shows_the_rust() -> None:
    transpiler = pytest.importorskip("transpiler")
    for needed in ("lark", "jinja2"):
        pytest.importorskip(needed)
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    module = transpiler.load(RUST)
    x = torch.zeros(256, device="cuda")
    with pytest.raises(Exception, match="too small") as caught:
        module.product[(1,)](x, 256, M=64)
    (note,) = caught.value.__notes__
    assert "Triton refused `product`" in note
    assert "--> <string>:4:5" in note
    assert "^ M is too small" in note
    module.product[(1,)](x, 256, M=256)
    torch.cuda.synchronize()
    assert x.sum().item() == 256
