"""`/` and `%` of integers truncate in Rust; between Python's integers `//` and `%` floor."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import GENERICS, OFFSETS, codes, translated

_USE = "\nT::store(y_ptr.add_offsets(offsets + q), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"


def quotient(rust: str, *, before: str = "", generics: str = GENERICS) -> str:
    text = translated(OFFSETS + before + f"let q = {rust};" + _USE, generics=generics)
    (line,) = [line for line in text.splitlines() if line.startswith("q = ")]
    return line.removeprefix("q = ")


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        # Tensors, and parameters, which are Python's only where they are 1.
        ("n / m", "n // m"),
        ("n % m", "n % m"),
        ("T::program_id(Axis::X) / m", "tl.program_id(0) // m"),
        ("(T::program_id(Axis::X) - 9) % m", "(tl.program_id(0) - 9) % m"),
        ("(offsets - 3) / m", "(offsets - 3) // m"),
        ("(offsets - 3) % 4", "(offsets - 3) % 4"),
        # Where both are 1, `1 - 3` is Python's, and negative.
        ("(n - 3) / m", "tl.cast(n - 3, tl.int32) // m"),
        ("(n - 3) % 4", "tl.cast(n - 3, tl.int32) % 4"),
        ("-n / 2", "tl.cast(-n, tl.int32) // 2"),
        ("n / -2", "tl.cast(n, tl.int32) // -2"),
        # A const generic that is the extent of a tile is positive; another need not be.
        ("BLOCK / 2", "BLOCK // 2"),
        ("(n + BLOCK - 1) / BLOCK", "(n + BLOCK - 1) // BLOCK"),
        ("(BLOCK - 1) / 7", "(BLOCK - 1) // 7"),
        ("(n - 5) / -2", "(n - 5) // -2"),
        ("n.max(0) / S.max(1)", "tl.maximum(n, 0) // (S if S > 1 else 1)"),
        ("(n & 7) / S.max(1)", "(n & 7) // (S if S > 1 else 1)"),
        ("n / BLOCK", "n // BLOCK"),
        ("n % S", "tl.cast(n, tl.int32) % S"),
        ("BLOCK / S", "int(BLOCK / S)"),
        ("S % 7", "S - int(S / 7) * 7"),
        ("(BLOCK - 300) / 7", "int((BLOCK - 300) / 7)"),
        ("BLOCK - S / 2", "BLOCK - int(S / 2)"),
        # Constants are folded as Rust has it.
        ("-7 / 2", "-3"),
        ("-7 % 2", "-1"),
        ("7 / -2", "-3"),
        ("7 % -2", "1"),
    ],
)
def test_quotients(rust: str, python: str) -> None:
    assert quotient(rust, generics=GENERICS + ", const S: i32") == python


def test_a_loop_variable_is_an_integer_of_python_in_the_interpreter() -> None:
    body = OFFSETS + "for i in 0..n {\n    let q = {};" + _USE + "\n}"
    for rust, python in [
        ("i / 2", "i // 2"),
        ("(i + 1) % m", "(i + 1) % m"),
        ("(i - 5) / 2", "tl.cast(i - 5, tl.int32) // 2"),
    ]:
        assert f"    q = {python}\n" in translated(body.replace("{}", rust))


def test_a_loop_variable_may_start_below_zero() -> None:
    body = OFFSETS + "for i in (0 - n)..n {\n    let q = i / 2;" + _USE + "\n}"
    assert "    q = tl.cast(i, tl.int32) // 2\n" in translated(body)


def test_a_loop_variable_has_the_sign_of_its_range_whatever_the_parameters_are() -> None:
    body = OFFSETS + "for i in (n - 1)..9 {\n    let q = i / 2;" + _USE + "\n}"
    assert "    q = tl.cast(i, tl.int32) // 2\n" in translated(body)
    body = OFFSETS + "for i in 0..n {\n    let q = (4 - i) / 2;" + _USE + "\n}"
    assert "    q = tl.cast(4 - i, tl.int32) // 2\n" in translated(body)
    body = OFFSETS + "for i in 0..4 {\n    let q = (4 - i) / 2;" + _USE + "\n}"
    assert "    q = (4 - i) // 2\n" in translated(body)


def test_conditions_tell_the_sign_of_a_constant() -> None:
    generics = GENERICS + ", const S: i32"
    loop = OFFSETS + "for i in 0..S {\n    let q = i % S;" + _USE + "\n}"
    assert "    q = i % S\n" in translated(loop, generics=generics)
    guard = OFFSETS + "if S < 1 {\n    return;\n}\n" + "let q = n / S;" + _USE
    assert "q = n // S\n" in translated(guard, generics=generics)
    other = OFFSETS + "if S < 1 {\n    let q = n / S;" + _USE + "\n}"
    assert "    q = tl.cast(n, tl.int32) // S\n" in translated(other, generics=generics)


def test_unsigned_and_wide_integers() -> None:
    assert quotient("((n as u32) / 3) as i32") == "tl.cast(tl.cast(n, tl.uint32) // 3, tl.int32)"
    assert quotient("((n as i64 - 5) / 3) as i32") == (
        "tl.cast((tl.cast(n, tl.int64) - 5) // 3, tl.int32)"
    )


def test_floats_divide_with_a_slash() -> None:
    assert quotient("(1.5_f32 * a / 2.0) as i32").count(" / ") == 1


def test_a_generic_dtype_decides_when_the_kernel_is_compiled() -> None:
    text = translated(
        OFFSETS
        + "let x = T::load(x_ptr.add_offsets(offsets), None, None, &[], None, None, None, false);\n"
        + "T::store(y_ptr.add_offsets(offsets), x / x, None, &[], None, None);",
        generics=GENERICS.replace("Float", "Num"),
    )
    assert "_divide(x, x, D)" in text


def test_division_by_zero_is_reported() -> None:
    assert codes(OFFSETS + "let q = 1 / 0;" + _USE) == ["E0406"]
    assert codes(OFFSETS + "let q = 1 % 0;" + _USE) == ["E0406"]
