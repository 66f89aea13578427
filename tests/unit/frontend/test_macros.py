"""Macros that expand to kernels: the text they become, where it leads back to, and what is refused."""

from __future__ import annotations

import pytest

import transpiler
from tests.unit.passes.kernels import function, module
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.macros.expansion import expand

BODY = """<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, n: i32) {
        let offsets = T::arange(0, BLOCK);
        let x = T::full::<f32>(&[BLOCK], 1.5);
        T::store(x_ptr.add_offsets(offsets), %s, Some(offsets.lt(n)), &[], None, None);
    }"""


def macro(arms: str, calls: str) -> str:
    return f"macro_rules! kernels {{\n{arms}\n}}\n{calls}\n"


def arm(pattern: str, value: str, name: str = "$name") -> str:
    return f"    ({pattern}) => {{ #[kernel] pub fn {name}{BODY % value} }};"


def stored(text: str, name: str) -> str:
    (line,) = [each for each in function(text, name).splitlines() if each.startswith("tl.store(")]
    return line.removeprefix("tl.store(x_ptr + offsets, ").removesuffix(", mask=offsets < n)")


def test_each_call_makes_a_kernel_of_an_operation() -> None:
    text = module(
        macro(
            arm("$name:ident, $op:ident", "T::$op(x)"),
            "kernels!(exp_forward, exp);\nkernels! { sqrt_forward, sqrt }",
        )
    )
    assert stored(text, "exp_forward") == "tl.exp(x)"
    assert stored(text, "sqrt_forward") == "tl.sqrt(x)"


def test_an_operation_may_have_the_name_of_a_variable() -> None:
    rust = macro(
        arm("$name:ident, $op:ident", "exp")
        .replace("let x = ", "let exp = T::$op(")
        .replace("1.5)", "1.5))"),
        "kernels!(k, exp);",
    )
    assert "exp = tl.exp(tl.full([BLOCK], 1.5, tl.float32))" in module(rust)


def test_an_expression_keeps_together() -> None:
    text = module(macro(arm("$name:ident = $e:expr", "x * $e"), "kernels!(k = 2.0 + 2.0);"))
    assert stored(text, "k") == "x * 4.0"


@pytest.mark.parametrize(
    ("fragment", "argument"),
    [
        ("$t:ty", "T::Tensor<f32>"),
        ("$t:ty", "&'a mut [f32]"),
        ("$t:path", "core::f32::consts::PI"),
        ("$t:literal", "-1.5e-3"),
        ("$t:tt", "(a, b)"),
        ("$t:block", "{ a; b }"),
        ("$t:lifetime", "'a"),
        ("$t:vis", "pub(crate)"),
        ("$t:vis", ""),
        ("$t:item", "struct A { b: i32 }"),
        ("$t:pat", "Some(_) | None"),
        ("$t:stmt", "let a = 1"),
        ("$t:meta", 'cfg(feature = "a")'),
        ("$($t:ident = $u:expr),+ $(,)?", "a = 1, b = 2,"),
        ("$($t:ident)* ; $($($u:tt)|*),*", "a b ; 1|2, 3"),
        ("[$($t:ident),*] => $u:tt", "[a, b] => c"),
    ],
)
def test_the_arm_whose_fragments_match_is_taken(fragment: str, argument: str) -> None:
    text = module(
        macro(
            "\n".join(
                (
                    arm("never $name:ident", "x + x"),
                    arm(f"$name:ident; {fragment};", "x"),
                    arm("$name:ident; $($rest:tt)*", "x * x"),
                )
            ),
            f"kernels!(k; {argument};);",
        )
    )
    assert stored(text, "k") == "x"


def test_macros_expand_through_macros_in_nested_repetitions() -> None:
    rust = macro(
        arm("$name:ident, $op:ident", "T::$op(x)"),
        "macro_rules! several {\n"
        "    ($($($name:ident)+ => $op:ident),* $(,)?) => { $( $( kernels!($name, $op); )+ )* };\n}\n"
        "mod inner { several!(a b => exp, c => sqrt,); }",
    )
    text = module(rust)
    assert [stored(text, name) for name in "abc"] == ["tl.exp(x)", "tl.exp(x)", "tl.sqrt(x)"]


def test_a_kernel_may_be_the_argument() -> None:
    rust = "macro_rules! items { ($($item:item)*) => { $($item)* }; }\n" + (
        "items! { #[kernel] pub fn k" + BODY % "x" + " const A: i32 = 1; }\n"
    )
    assert stored(module(rust), "k") == "x"


def test_lines_of_a_kernel_lead_to_the_macro_that_makes_it_and_its_comments_stay() -> None:
    rust = macro(
        arm("$name:ident", "x").replace("let x", "// all the same\n        let x"), "kernels!(k);"
    )
    result = transpiler.transpile(rust)
    assert result.text is not None
    assert result.line_map is not None
    assert "    # all the same\n    x = tl.full([BLOCK], 1.5, tl.float32)" in result.text
    line = result.text.splitlines().index("    x = tl.full([BLOCK], 1.5, tl.float32)") + 1
    span = result.line_map.rust_span(line)
    assert span is not None
    assert result.source.position(span.start).line == 5
    assert result.source.digest in result.text


@pytest.mark.parametrize(
    "text",
    [
        "macro_rules! host { ($a:ident) => { fn $a() {} } }\nhost!(1);\n#[kernel]\nfn k<T: Triton>() {}",
        "macro_rules! k { () => { #[kernel] fn k<T: Triton>() {} } }",
        "#[kernel]\nfn k<T: Triton>() {}",
        "macro_rules! a { (#[kernel] (} }",
    ],
)
def test_what_makes_no_kernel_stays(text: str) -> None:
    sink = Sink()
    assert expand(text, sink) is None
    assert not sink.diagnostics
