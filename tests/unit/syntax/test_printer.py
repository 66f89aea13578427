"""Trees back to Rust: parse, print, parse gives the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.frontend.parsing import block, kernel, parse, statement, value, without_spans
from transpiler.syntax.nodes import Function, Let
from transpiler.syntax.printer import (
    print_expression,
    print_file,
    print_item,
    print_pattern,
    print_statement,
    print_type,
)

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT.parent / "shared" / "reference" / "batchnorm.rs"


def assert_round_trip(text: str) -> str:
    """Parse, print, parse: the same tree; printing again gives the same text."""
    tree = parse(text)
    printed = print_file(tree)
    again = parse(printed)
    assert without_spans(again) == without_spans(tree)
    assert print_file(again) == printed
    return printed


@pytest.mark.parametrize(
    "path", sorted((ROOT / "kernels").rglob("*.rs")), ids=lambda path: path.stem
)
def test_our_kernels(path: Path) -> None:
    assert_round_trip(path.read_text("utf-8"))


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference file is not beside the project")
def test_the_reference_comes_back_as_it_is() -> None:
    text = REFERENCE.read_text("utf-8")
    assert assert_round_trip(text) == text


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference file is not beside the project")
def test_white_space_means_nothing() -> None:
    text = REFERENCE.read_text("utf-8")
    windows = text.replace("\n", "\r\n").replace("    ", "\t")
    kernels = [item for item in parse(text).items if isinstance(item, Function)]
    others = [item for item in parse(windows).items if isinstance(item, Function)]
    assert [without_spans(item.body) for item in others] == [
        without_spans(item.body) for item in kernels
    ]


BODIES = [
    "if c { a } else { b }",
    "if c { return; }",
    "if c { f(); } else if d { g(); } else { h() }",
    "if x {} - 1",
    "let x = if a { 1 } else if b { 2 } else { 3 };",
    "let x = if a { f(); 1 } else { 2 };",
    "let x = { let y = 1; y };",
    "let Some(x) = y else { return; };",
    "if let Some(x) = y && z {} while let Some(x) = y { f(); }",
    "'a: loop { break 'a; continue 'a; }  'b: { f() }",
    "let x = loop { break 1; }; let y = 'c: { break 'c 2; };",
    "for i in (0..n).step_by(2) {} for _ in 0.. { break; } for (a, _) in b {}",
    "match x { Some(1) | None if a => {} 1..=5 => b, (a, _) => c, Axis::X => { d } -1 => { f(); e } }",
    "match x {}.foo();",
    "#[allow(clippy::x)] let row = lanes * 0 + r; #[a] #[b(c)] f();",
    'let a = 1.0_f32 + 1f32 + 1. + 0xFF_u8 - 1e-12_f32; let b = \'a\'; let c = "s\\""; let d = r#"x"#;',
    "x.0.1; 1.max(2); -1.0_f32.abs(); a as i32 as f32 * b; &&x; &mut y; **z; !a; -b;",
    "q >>= 2; r >= s; t <<= 1; u << 1; a = b = c; v[i] += 1; *p = 1; p.x.y = 2;",
    "let v: Vec<Vec<u8>> = x; let w: T::Tensor<T::Pointer<D>>= y; let z: &'a mut [T; 3] = a; let t: (A,) = b;",
    "let c = |x| x + 1; let d = move || { 3 }; let e = |a: i32| -> i32 { a };",
    'println!("{}", 1); vec![1, 2]; foo! { a b }',
    "let f = Foo { a: 1, b, ..c };",
    "fn inner(x: i32) -> i32 { x } const N: i32 = 3; use a::b; /// doc\n struct S { a: i32 }",
    "let r#type = 1; r#type.r#fn(); r#match!(a);",
    "unsafe { f() } { { g() } } {}",
    "let r = ..; let s = 1..; let t = ..2; let u = 0..=3;",
    "return; ",
    "return a + b",
    "let x; let (a, (mut b, _)): (A, (B, C)) = y;",
    "T::load(x_ptr.add_offsets(offsets), Some(mask & other_mask), Some(zeros), &[], None, None, None, false);",
    "let a = first_quite_long_name * second_quite_long_name + third_quite_long_name - fourth_quite_long_name / fifth;",
    "let a = [first_quite_long_name, second_quite_long_name, third_quite_long_name, fourth_quite_long_name, b];",
    "let x = if first_quite_long_condition_name < second_quite_long_name { first_value } else { second_value };",
    "// a\nf(); // b\n\n// c\n\n/* d\n   e */\ng(\n  1, // h\n  2);\n// i\n\n// j",
    "// only a comment",
    "a();\n// the value\nb // really\n// done",
    ";; f();;",
    "if (Foo { a: 1 }) == b {}",
    "while { f(); g } { h(); }",
    "let x = f(|y| { z(y) }, match a { _ => b });",
]


@pytest.mark.parametrize("body", BODIES)
def test_bodies(body: str) -> None:
    assert_round_trip(kernel(body))


ITEMS = [
    "//! Docs.\n\n#![allow(x)]\n\n// c\nuse a::{b, c}; // d\n",
    "// licence\n\n/// Doc.\n#[a]\npub(crate) struct A<D: B> where D: C { d: u8 }\nstruct E(u8);\nstruct F;",
    "impl<D: B> A<D> { const N: usize = 1; /// doc\n pub fn f(&self) -> i32 { self.n }\n\n// end\n}",
    "impl<D: Float + Send + Sync + 'static> a_quite_long::path::RuntimeOp for AQuiteLongStructName<D> where D: E {}",
    "mod a { // x\n mod b {} mod c; fn d() {} // y\n}",
    "trait A { fn f(); }\nenum B {}\nmacro_rules! d { () => {} }\ntype E = F;\nextern crate g;\nunsafe impl H for I {}",
    "pub const unsafe fn f<'a, T: A + B, const N: i32>(a: &'a T, mut b: [u8; N]) -> (A, B) where T: C { }\nfn g();",
    "#[kernel]\nfn k<T: Triton>(\n    // above\n    a: i32, // beside\n\n    b: i32,\n) where T: U {}",
    "pub fn a_function_with_a_long_name(first_parameter: i32, second_parameter: i32, third_parameter: i32) -> i32;",
    "static mut A: Foo<{ 3 }> = Foo { a: 1 };\nconst B: fn(i32) -> i32 = |x| x;\nconst C: i32 = 1 + 2;",
    "use a;\n\n// ─── heading ───\n\nuse b;\n// closing\n\n// more",
]


@pytest.mark.parametrize("text", ITEMS)
def test_items(text: str) -> None:
    assert_round_trip(text)


def test_parts() -> None:
    let = statement("let mut x: Vec<u8> = f(1);")
    assert isinstance(let, Let)
    assert let.type is not None
    assert print_statement(let) == "let mut x: Vec<u8> = f(1);"
    assert print_type(let.type) == "Vec<u8>"
    assert print_pattern(let.pattern) == "mut x"
    assert print_expression(value("a+b  *c")) == "a + b * c"
    assert print_item(parse("pub fn  f( ) { }").items[0]) == "pub fn f() { }"


def test_layout() -> None:
    parsed = block("if c { a } else { b }")
    assert parsed.tail is not None
    assert print_expression(parsed.tail) == "if c { a } else { b }"
    printed = print_file(parse(kernel("if c { f(); } else { g(); }")))
    assert printed == (
        "#[kernel]\nfn k() {\n    if c {\n        f();\n    } else {\n        g();\n    }\n}\n"
    )
