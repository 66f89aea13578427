"""Where functions that kernels call stand in a module, and what they are called."""

from __future__ import annotations

import re

import transpiler
from tests.unit.passes.kernels import LOAD, PARAMETERS, function, kernel, module, store

HALF = "fn half(n: i32) -> i32 { n / 2 }\n"
TWICE = "fn twice<T: Triton, D: Num>(x: T::Tensor<D>) -> T::Tensor<D> { x + x }\n"


def definitions(text: str) -> list[str]:
    """The functions of a module in order, helpers and specialisations left out."""
    text = text.partition("\n# Specialisations")[0]
    found = re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    return [name for name in found if not name.startswith("_")]


def test_functions_stand_once_above_the_first_kernel_that_needs_them_callees_first() -> None:
    rust = (
        "fn outer(n: i32) -> i32 { inner(n) + half(n) }\n"
        + kernel("let y = 1;", name="a")
        + kernel("let y = outer(n);", name="b")
        + "fn inner(n: i32) -> i32 { half(n) * 3 }\n"
        + kernel("let y = half(n) + other(n);", name="c")
        + HALF
        + "fn other(n: i32) -> i32 { n }\n"
    )
    assert definitions(module(rust)) == ["a", "half", "inner", "outer", "b", "other", "c"]


def test_functions_are_not_among_what_a_module_exports() -> None:
    text = module(HALF + kernel("let y = half(n);"))
    exports = text[text.index("__all__") : text.index("]\n")]
    assert '"k"' in exports
    assert "half" not in exports


def test_one_text_serves_calls_of_different_shapes_and_dtypes() -> None:
    body = (
        LOAD
        + "let a = twice(x);\nlet b = twice(T::zeros::<i64>(&[4, 4]));\nlet c = twice(offsets);"
    )
    text = module(TWICE + kernel(body) + kernel(LOAD + store("twice(x)"), name="l"))
    assert definitions(text) == ["twice", "k", "l"]


def test_a_function_whose_text_differs_for_another_shape_is_there_twice() -> None:
    items = (
        "fn late<T: Triton, const N: i32>(x: T::Tensor<f32>, n: i32) -> T::Tensor<f32> {\n"
        "    for i in 0..n { if i > 9 { return T::zeros::<f32>(&[N]); } }\n"
        "    T::full::<f32>(&[N], 1.0)\n}\n"
    )
    body = (
        "let a = late::<T, BLOCK>(T::zeros::<f32>(&[BLOCK]), n);\n"
        "let b = late::<T, BLOCK>(T::zeros::<f32>(&[4]), n);\n"
        "let c = late::<T, 4>(T::zeros::<f32>(&[4]), n);"
    )
    text = module(items + kernel(body))
    assert definitions(text) == ["late", "late__2", "k"]
    assert function(text, "late").splitlines()[0] == "result = tl.zeros_like(x)"
    assert function(text, "late__2").splitlines()[0] == "result = tl.zeros([N], tl.float32)"
    calls = [line.partition("(")[0] for line in function(text, "k").splitlines()]
    assert calls == ["a = late", "b = late__2", "c = late"]


def test_two_functions_of_one_name_have_two() -> None:
    rust = (
        "mod a { pub fn f(n: i32) -> i32 { n + 1 } }\nmod b { pub fn f(n: i32) -> i32 { n + 2 } }\n"
        + kernel("let y = a::f(n) * b::f(n);")
    )
    text = module(rust)
    assert definitions(text) == ["f", "f__2", "k"]
    assert function(text, "k") == "y = f(n) * f__2(n)"
    assert function(text, "f__2") == "return n + 2"


def test_names_that_callers_use_stay_and_functions_give_way() -> None:
    rust = (
        "fn n(m: i32) -> i32 { m + 1 }\nfn k(m: i32) -> i32 { m + 2 }\n"
        "fn range(m: i32) -> i32 { m + 3 }\nfn tail(m: i32) -> i32 { m + 4 }\n"
    )
    body = "let tail = tail(m);\nlet y = self::n(m) + helper::k(m) + range(m) + tail;"
    rust = rust.replace("fn k", "mod helper { pub fn k").replace("m + 2 }", "m + 2 } }")
    text = module(rust + kernel(body, parameters=f"{PARAMETERS}, range_: i32"))
    assert definitions(text) == ["tail", "n_", "k_", "range__", "k"]
    assert function(text, "k") == "tail_ = tail(m)\ny = n_(m) + k_(m) + range__(m) + tail_"


def test_a_kernel_that_does_not_call_a_function_may_use_its_name() -> None:
    text = module(HALF + kernel("let y = half(n);") + kernel("let half = n + 1;", name="l"))
    assert function(text, "l") == "half = n + 1"


def test_lines_of_functions_lead_to_their_rust() -> None:
    rust = "/// Half.\nfn half(n: i32) -> i32 {\n    let m = n + 2;\n    m / 2\n}\n" + kernel(
        "let y = half(n);"
    )
    result = transpiler.transpile(rust)
    assert result.text is not None
    assert result.line_map is not None
    found = {}
    for number, line in enumerate(result.text.splitlines(), 1):
        span = result.line_map.rust_span(number)
        found[line.strip()] = (
            None if span is None else rust[span.start : span.end].partition("\n")[0]
        )
    assert found["m = n + 2"] == "let m = n + 2;"
    assert found["return m // 2"] == "m / 2"
    assert found["def half(n):"] == "/// Half."
    assert found["y = half(n)"] == "let y = half(n);"
