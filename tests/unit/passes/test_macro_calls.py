"""The macros of Rust that mean something in a kernel."""

from __future__ import annotations

import pytest

import transpiler
from tests.unit.passes.kernels import function, module


def python(statements: str) -> str:
    """The Python of a kernel over `n: i32` and `v: i32` that stores `y`, without the store."""
    rust = (
        "#[kernel]\npub fn k<T: Triton, const BLOCK: i32>(y_ptr: T::Pointer<i32>, n: i32, v: i32) {\n"
        f"{statements}\nlet y = T::full::<i32>(&[BLOCK], v);\n"
        "T::store(y_ptr.add_offsets(T::arange(0, BLOCK)), y, None, &[], None, None);\n}\n"
    )
    return "\n".join(function(module(rust), "k").splitlines()[:-2])


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "assert!(BLOCK >= 16);",
            'tl.static_assert(BLOCK >= 16, "assertion failed: BLOCK >= 16")',
        ),
        ('assert!(n > 0, "no rows");', 'tl.device_assert(n > 0, "no rows")'),
        ('std::debug_assert!(n > 0, "a {{}}",);', 'tl.device_assert(n > 0, "a {}")'),
        ("assert_eq!(n, v);", 'tl.device_assert(n == v, "assertion failed: n == v")'),
        (
            "debug_assert_ne!(n % 4, 1);",
            'tl.device_assert(n % 4 != 1, "assertion failed: n % 4 != 1")',
        ),
    ],
)
def test_assertions(statement: str, expected: str) -> None:
    assert python(statement).replace("_remainder(n, 4)", "n % 4") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("matches!(v, 0 | 4)", "v == 0 or v == 4"),
        ("matches!(v, 2..=5 if n > 3,)", "v >= 2 and v <= 5 and n > 3"),
        ("matches!(v, x if x > n)", "v > n"),
        ('cfg!(feature = "a")', "True"),
        ('cfg!(not(feature = "a"))', "False"),
        ("cfg!(debug_assertions)", "False"),
    ],
)
def test_macros_that_give_a_bool(value: str, expected: str) -> None:
    assert python(f'let c = {value}; assert!(c, "");').startswith(f"c = {expected}") or (
        f"({expected}, " in python(f'assert!({value}, "");')
    )


def test_cfg_asks_for_features() -> None:
    rust = '#[kernel]\npub fn k<T: Triton>() { T::static_assert(cfg!(feature = "a"), ""); }'
    options = transpiler.Options(default_features=False, features=frozenset({"b"}))
    text = transpiler.transpile(rust, options=options).text
    assert text is not None
    assert "tl.static_assert(False" in text


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("let a = match v { 0 => 1, 1 => n, _ => unreachable!() };", "a = 1 if v == 0 else n"),
        ('let a = if v > 0 { n } else { unreachable!("v is {}", v) };', "a = n"),
        ("match v { 0 => assert!(n > 1), _ => unreachable!() }", 'tl.device_assert(n > 1, "'),
    ],
)
def test_what_is_never_reached_is_left_out(statement: str, expected: str) -> None:
    assert python(statement).startswith(expected)


def test_text_for_operations() -> None:
    found = python('T::static_print(concat!("x", " = ", 1)); T::static_print(stringify!(a  + b));')
    assert found == 'tl.static_print("x = 1")\ntl.static_print("a + b")'
