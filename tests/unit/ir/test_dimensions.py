"""What is computed in two ways is one extent, as Rust's own rules of shapes see it."""

from __future__ import annotations

import pytest

import transpiler

EQUAL = (
    ("N * 2", "2 * N"),
    ("N * 2", "N + N"),
    ("N / 2 * 2", "N"),
    ("N * 2 / 4", "N / 2"),
    ("N >> 1", "N / 2"),
    ("N << 2", "4 * N"),
    ("M * N", "N * M"),
    ("N * M / M", "N"),
    ("(N + M) * 2", "2 * M + 2 * N"),
    ("N - (N - M)", "M"),
    ("N % M * 2", "2 * (N % M)"),
)
DIFFERENT = (
    ("N", "M"),
    ("N * 2", "N"),
    ("N / 2", "N / 4"),
    ("N * M", "N"),
    ("N % M", "M % N"),
    ("N + M", "N - M"),
    ("(N + M) / 2", "(N - M) / 2"),
)


def codes(first: str, second: str) -> list[str]:
    """What is said of a tile of one extent that is stored to places of another."""
    rust = f"""
        #[kernel]
        pub fn k<T: Triton, const N: i32, const M: i32>(x_ptr: T::Pointer<f32>) {{
            let tile = T::zeros::<f32>(&[{first}]);
            T::store(x_ptr.add_offsets(T::arange(0, {second})), tile, None, &[], None, None);
        }}
    """
    return [it.code for it in transpiler.check(rust) if it.code[0] == "E"]


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_it_is_one_extent(first: str, second: str) -> None:
    assert codes(first, second) == codes(second, first) == []


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_it_is_two_extents(first: str, second: str) -> None:
    assert codes(first, second) == codes(second, first) == ["E0402"]


def test_halves_of_a_tile_are_as_long_as_it() -> None:
    rust = """
        #[kernel]
        pub fn k<T: Triton, const N: i32>(x_ptr: T::Pointer<f32>) {
            let at = x_ptr.add_offsets(T::arange(0, N));
            let x = T::load(at, None, None, &[], None, None, None, false);
            let (a, b) = T::split(T::reshape(x, &[N / 2, 2], false));
            T::store(at, T::interleave(b, a), None, &[], None, None);
        }
    """
    assert transpiler.check(rust) == ()
