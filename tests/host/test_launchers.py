"""Plain launchers: what they launch, and what they refuse before anything is launched."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.host.loading import module_of

if TYPE_CHECKING:
    from collections.abc import Sequence

RUST = """
#[kernel]
pub fn scale_rows<T: Triton, D: Float, const BLOCK: i32, const TWICE: bool>(
    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, rows_ptr: T::Pointer<i32>, n: i32, factor: f32,
) {
    let row = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK);
    let mask = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets + row * n), Some(mask), None, &[], None, None, None, false);
    let mut y = x * T::full::<D>(&[BLOCK], D::from_f64(factor as f64));
    if TWICE {
        y = y + y;
    }
    T::store(y_ptr.add_offsets(offsets + row * n), y, Some(mask), &[], None, None);
    T::store(rows_ptr.add_offsets(T::arange(0, 1) + row), T::full::<i32>(&[1], row), None, &[], None, None);
}
"""


def arguments(**changed: Any) -> list[Any]:
    """What `scale_rows` takes for 2 rows of 5."""
    return list(
        {
            "x_ptr": torch.arange(10.0).reshape(2, 5),
            "y_ptr": torch.full((2, 5), -1.0),
            "rows_ptr": torch.full((2,), -1, dtype=torch.int32),
            "n": 5,
            "factor": 3.0,
            **changed,
        }.values()
    )


def launch(grid: Sequence[int] = (2,), /, **changed: Any) -> list[Any]:
    """The arguments after a launch."""
    given = arguments(**changed)
    module_of(RUST).ScaleRows(8, twice=True).launch(grid, *given)
    return given


def refused(
    kind: type[Exception], words: str, grid: Sequence[int] = (2,), /, **changed: Any
) -> None:
    """Launching raises this exception with these words, and nothing is written."""
    given = arguments(**changed)
    before = [it.clone() if isinstance(it, torch.Tensor) else it for it in given]
    with pytest.raises(kind) as caught:
        module_of(RUST).ScaleRows(8, twice=True).launch(grid, *given)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    for old, new in zip(before, given, strict=True):
        if isinstance(old, torch.Tensor) and old.device.type == "cpu" and not old.is_sparse:
            assert torch.equal(old, new)


@interpreted
def test_a_launch_runs_the_kernel_on_its_grid() -> None:
    x, y, rows, *_ = launch()
    assert torch.equal(y, x * 6)
    assert rows.tolist() == [0, 1]


@interpreted
def test_a_launcher_tells_its_constants_and_its_kernel() -> None:
    launcher = module_of(RUST).ScaleRows(8, True)
    assert (launcher.block, launcher.twice) == (8, True)
    assert launcher.name == "scale_rows"
    assert launcher.id == "scale_rows__8__true"
    assert "def scale_rows(" in launcher.source
    with pytest.raises(TypeError, match="twice"):
        module_of(RUST).ScaleRows(8)


@interpreted
def test_a_number_for_a_float_may_be_whole() -> None:
    x, y, *_ = launch(factor=3)
    assert torch.equal(y, x * 6)


@interpreted
@pytest.mark.parametrize("grid", [(0,), (2, 0), (2, 1, 0)])
def test_a_grid_without_programs_launches_nothing(grid: tuple[int, ...]) -> None:
    _, y, *_ = launch(grid)
    assert torch.equal(y, torch.full((2, 5), -1.0))


@interpreted
def test_empty_tensors_are_no_fault() -> None:
    empty = {"x_ptr": torch.empty(2, 0), "y_ptr": torch.empty(2, 0)}
    *_, rows, _, _ = launch(**empty, n=0)
    assert rows.tolist() == [0, 1]


@interpreted
@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ((), "scale_rows(): a grid has 1 to 3 axes, not 0"),
        ((1, 1, 1, 1), "scale_rows(): a grid has 1 to 3 axes, not 4"),
        ((-1,), "scale_rows(): -1 programs along x"),
        ((2**31,), "scale_rows(): 2147483648 programs along x"),
        ((1, 65536), "scale_rows(): 65536 programs along y; a grid has 0 to 65535 there"),
        ((1, 1, 65536), "scale_rows(): 65536 programs along z"),
    ],
)
def test_grids_that_no_gpu_takes_are_refused(grid: tuple[int, ...], words: str) -> None:
    refused(ValueError, words, grid)


@interpreted
def test_the_number_of_arguments_is_checked() -> None:
    with pytest.raises(TypeError, match=r"scale_rows\(\) takes 5 arguments but 4 were given"):
        module_of(RUST).ScaleRows(8, False).launch((2,), *arguments()[:4])


@interpreted
def test_a_pointer_takes_a_tensor() -> None:
    refused(TypeError, "scale_rows(): argument 'x_ptr' must be Tensor, not int", x_ptr=3)
    refused(TypeError, "argument 'y_ptr' must be Tensor, not list", y_ptr=[1.0])


@interpreted
def test_tensors_have_to_be_where_triton_runs() -> None:
    elsewhere = torch.empty(2, 5, device="meta")
    refused(
        RuntimeError,
        "scale_rows(): Expected all tensors to be on the same device, but got y_ptr is on meta,"
        " different from other tensors on cpu",
        y_ptr=elsewhere,
    )
    refused(RuntimeError, "but got x_ptr is on meta (Triton runs on a CPU where", x_ptr=elsewhere)


def test_the_compiler_refuses_tensors_on_the_cpu() -> None:
    refused(RuntimeError, "Expected all tensors to be on a GPU, but got x_ptr is on cpu")


@interpreted
def test_dtypes_are_those_of_the_kernel() -> None:
    refused(
        RuntimeError,
        "scale_rows(): expected y_ptr to have dtype torch.float32, but it has torch.float64",
        y_ptr=torch.zeros(2, 5, dtype=torch.float64),
    )
    refused(
        RuntimeError,
        "scale_rows(): expected rows_ptr to have dtype torch.int32, but it has torch.int64",
        rows_ptr=torch.zeros(2, dtype=torch.int64),
    )
    whole = {name: torch.ones(2, 5, dtype=torch.int32) for name in ("x_ptr", "y_ptr")}
    refused(NotImplementedError, '"scale_rows" not implemented for torch.int32', **whole)


@interpreted
def test_tensors_that_are_not_contiguous_are_refused() -> None:
    refused(
        RuntimeError, "scale_rows(): expected x_ptr to be contiguous", x_ptr=torch.ones(5, 2).t()
    )
    refused(RuntimeError, "expected y_ptr to be contiguous", y_ptr=torch.ones(1).expand(2, 5))
    refused(
        RuntimeError,
        "scale_rows(): expected x_ptr to be strided, but it is torch.sparse_coo",
        x_ptr=torch.ones(2, 5).to_sparse(),
    )


@interpreted
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("n", 5.0, "argument 'n' must be int, not float"),
        ("n", True, "argument 'n' must be int, not bool"),
        ("n", None, "argument 'n' must be int, not NoneType"),
        ("factor", "3", "argument 'factor' must be float, not str"),
        ("factor", True, "argument 'factor' must be float, not bool"),
    ],
)
def test_scalars_are_numbers_of_their_kind(name: str, value: object, words: str) -> None:
    refused(TypeError, words, **{name: value})
    refused(TypeError, "must be float, not Tensor", factor=torch.tensor(3.0))


@interpreted
@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        pytest.param(
            *("x_ptr", torch.ones(9), "expected x_ptr to have at least 10 elements, but it has 9"),
            id="read",
        ),
        pytest.param(
            *("y_ptr", torch.empty(0), "expected y_ptr to have at least 10 elements, but it has 0"),
            id="written",
        ),
        pytest.param(
            *("rows_ptr", torch.full((4,), -1, dtype=torch.int32)[3:]),
            "expected rows_ptr to have at least 2 elements, but it has 1",
            id="a view at an offset",
        ),
    ],
)
def test_tensors_reach_as_far_as_the_kernel(name: str, given: torch.Tensor, words: str) -> None:
    refused(RuntimeError, f"scale_rows(): {words}", **{name: given})
    launch((2,), **{name: torch.cat([given, given.new_ones(10)])})


@interpreted
def test_only_the_elements_that_are_touched_have_to_be_there() -> None:
    """Of the last row as many as there are columns, of another kernel as many as its mask leaves."""
    rows = {"x_ptr": torch.ones(12), "y_ptr": torch.ones(12)}
    refused(RuntimeError, "to have at least 16 elements", (2,), **rows, n=8)
    launch((1,), **rows, n=12)
    launch((2,), x_ptr=torch.empty(0), y_ptr=torch.empty(0), n=-3)
    launcher = module_of(MASKED).Fill(8)
    for grid, n in ((1, 3), (4, 3), (4, 0), (4, -5), (1, 100)):
        count = max(0, min(n, grid * 8))
        assert launcher.launch((grid,), out := torch.zeros(count), n) is None
        assert out.eq(1).all()
        if count:
            with pytest.raises(RuntimeError, match=f"{count} elements, but it has {count - 1}"):
                launcher.launch((grid,), torch.zeros(count - 1), n)


@interpreted
def test_nothing_is_asked_of_what_is_not_touched() -> None:
    empty = {name: torch.empty(0) for name in ("x_ptr", "y_ptr")}
    launch((0,), **empty, rows_ptr=torch.empty(0, dtype=torch.int32))
    module_of(NARROW).Narrow().launch((0,), torch.empty(0), 1)
    launcher = module_of(MASKED).Choose(8)
    for min_ in (0, 2):
        launcher.launch((1,), torch.zeros(8), torch.zeros(2), min_)


MASKED = """
#[kernel]
pub fn fill<T: Triton, const BLOCK: i32>(p: T::Pointer<f32>, n: i32) {
    let offsets = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let one = T::full::<f32>(&[BLOCK], 1.0);
    T::store(p.add_offsets(offsets), one, Some(offsets.lt(n)), &[], None, None);
}
#[kernel]
pub fn choose<T: Triton, const BLOCK: i32>(all: T::Pointer<f32>, p: T::Pointer<f32>, min: i32) {
    let offsets = T::arange(0, BLOCK);
    let x = T::load(all.add_offsets(offsets), None, None, &[], None, None, None, false);
    T::store(p.add_offsets(offsets), x, Some(offsets.lt(min)), &[], None, None);
}
"""


@interpreted
def test_integers_have_to_fit() -> None:
    refused(RuntimeError, f"scale_rows(): n = {2**63} does not fit in i64", n=2**63)
    refused(RuntimeError, f"n = {-(2**63) - 1} does not fit in i64", n=-(2**63) - 1)
    module = module_of(NARROW)
    with pytest.raises(RuntimeError, match=r"narrow\(\): n = 256 does not fit in u8"):
        module.Narrow().launch((1,), torch.zeros(1), 256)


@interpreted
@pytest.mark.parametrize("n", [5, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1])
def test_sizes_past_32_bits_take_the_other_form(n: int) -> None:
    launched: list[str] = []

    def form(name: str) -> Any:
        return {(1, 1, 1): lambda *_, **__: launched.append(name)}

    module = module_of(RUST)
    launcher = module.ScaleRows(8, twice=True)
    # With `--optimised` too, the kernel as written.
    launcher.optimised = False
    kernel = module.KERNELS["scale_rows"]
    launcher._kernel = dataclasses.replace(kernel, function=form("32"), index64=form("64"))
    launcher.launch((1,), *arguments(n=n))
    assert launched == ["32" if -(2**31) <= n < 2**31 else "64"]


@interpreted
def test_tensors_past_32_bits_are_refused_without_another_form() -> None:
    module = module_of(RUST)
    launcher = module.ScaleRows(8, twice=True)
    launcher._kernel = dataclasses.replace(module.KERNELS["scale_rows"], index64=None)
    with pytest.raises(RuntimeError, match=r"n = 2147483648 does not fit in i32"):
        launcher.launch((1,), *arguments(n=2**31))


NARROW = """
#[kernel]
pub fn narrow<T: Triton>(p: T::Pointer<f32>, n: u8) {
    T::store(p.add_offsets(T::arange(0, 1)), T::full::<f32>(&[1], n as f32), None, &[], None, None);
}
"""


@interpreted
def test_what_is_written_lies_nowhere_else() -> None:
    both = torch.arange(15.0)
    refused(
        RuntimeError,
        "some elements of x_ptr and of y_ptr, which is written to, refer to a single memory"
        " location. Please clone() the tensor",
        x_ptr=both[:10].view(2, 5),
        y_ptr=both[5:].view(2, 5),
    )
    launch((1,), x_ptr=both[:5].view(1, 5), y_ptr=both[5:10].view(1, 5))
    assert torch.equal(both[5:10], both[:5] * 6)


@interpreted
def test_autograd_is_told_or_asked_to_look_away() -> None:
    asking = torch.ones(2, 5, requires_grad=True)
    refused(
        RuntimeError,
        "scale_rows(): launches don't support automatic differentiation, but x_ptr requires grad",
        x_ptr=asking,
    )
    refused(
        RuntimeError,
        "a leaf Variable that requires grad, y_ptr, is being used in an in-place operation",
        y_ptr=asking,
    )
    with torch.no_grad():
        launch(x_ptr=asking)
    weight = torch.ones(2, 5, requires_grad=True)
    saved = torch.ones(2, 5)
    product = (weight * saved).sum()
    launch(y_ptr=saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(product, [weight])


CLASHES = """
#[kernel]
pub fn torch<T: Triton, const LAUNCH: i32, const LAMBDA: i32>(Tensor: T::Pointer<f32>) {
    let cache = T::arange(0, LAUNCH);
    T::store(Tensor.add_offsets(cache), T::full::<f32>(&[LAUNCH], 1.0), None, &[], None, None);
}
#[kernel]
pub fn Launcher<T: Triton, const N: i32>(p: T::Pointer<f32>) {
    T::store(p.add_offsets(T::arange(0, N)), T::full::<f32>(&[N], 2.0), None, &[], None, None);
}
#[kernel]
pub fn launcher<T: Triton, const N: i32>(p: T::Pointer<f32>) {
    T::store(p.add_offsets(T::arange(0, N)), T::full::<f32>(&[N], 3.0), None, &[], None, None);
}
"""


@interpreted
def test_names_that_the_host_side_uses_itself() -> None:
    module = module_of(CLASHES)
    for launcher, expected in (
        (module.Torch(4, lambda_=3), 1),
        (module.Launcher__(4), 2),
        (module.Launcher___(4), 3),
    ):
        out = torch.zeros(4)
        launcher.launch((1,), out)
        assert out.tolist() == [expected] * 4
    assert module.Torch(4, 3).launch_ == 4
    assert set(module.__all__) <= set(vars(module))
