"""Syntax errors: each message, where it points, and that the rest of the file survives."""

from __future__ import annotations

import pytest

from tests.unit.frontend.parsing import kernel, parse_any
from transpiler.diagnostics.codes import CODES
from transpiler.syntax.nodes import Function, Impl, Module

BODIES = [
    ("let x = 1\n    let y = 2;", "E0108", "expected `;` after this statement, found `let`", "1"),
    ("f()\n    g();", "E0108", "expected `;` after this statement, found `g`", ")"),
    ("x = 1 }", "E0106", "`}` closes nothing", "}"),
    ("T::load(a b, c);", "E0109", "expected `,` between these, found `b`", "a"),
    ("T::store(\n        a,\n        b\n        c,\n    );", "E0109", "expected `,` between these, found `c`", "b"),
    ("match x { 1 => 2 3 => 4 }", "E0109", "expected `,` between these, found `3`", "2"),
    ("let x = T::load(a, b;\n    let y = 1;", "E0105", "`(` is never closed", "("),
    ("let x = T::load(a, b\n    let y = 1;", "E0105", "`(` is never closed", "("),
    ("let x = [1, 2;3\n    let y = 3;", "E0105", "`[` is never closed", "["),
    ("f(a, (b);", "E0105", "`(` is never closed", "("),
    ("let = 1;", "E0110", "expected a pattern, found `=`", "="),
    ("let x 1;", "E0110", "expected `:`, `;` or `=`, found `1`", "1"),
    ("let x: = 3;", "E0110", "expected a type, found `=`", "="),
    ("let x = a +;", "E0110", "expected an expression, found `;`", ";"),
    ("x = = 2;", "E0110", "expected an expression, found `=`", "="),
    ("a.b.;", "E0110", "expected a field number or a name, found `;`", ";"),
    ("f(]);", "E0105", "`(` is never closed", "("),
    ("if a {} else b", "E0110", "expected `if` or `{`, found `b`", "b"),
    ("let trait = 1;", "E0110", "`trait` is a keyword of Rust and no name", "trait"),
    ("let x = a > > b;", "E0110", "expected an expression, found `>`", ">"),
    ("let x = a..=;", "E0110", "an inclusive range needs an end", "..="),
    ("let x = a < b < c;", "E0111", "comparison operators cannot be chained", "a < b < c"),
    ("let x = a == b != c;", "E0111", "comparison operators cannot be chained", "a == b != c"),
    ("let x = Vec<u8>::new();", "E0111", "generic arguments in an expression need `::` before their `<`", "Vec<u8>"),
    ("for i in 0..n..2 {}", "E0112", "ranges cannot be chained", "0..n..2"),
    ("while a as i32 < b {}", "E0113", "`<` after a cast starts generic arguments of the type", "a as i32"),
    ("let x = c + a as usize << 2;", "E0113", "`<<` after a cast starts generic arguments of the type", "a as usize"),
    ("let x = 0b12;", "E0114", "`0b12` is not a valid number", "0b12"),
    ("let x = 0x;", "E0114", "`0x` is not a valid number", "0x"),
    ("let x = 1.0_g32;", "E0114", "`1.0_g32` is not a valid number", "1.0_g32"),
    ("let x = 1.0_i32;", "E0114", "`1.0_i32` is not a valid number", "1.0_i32"),
    ("let x = 3bytes;", "E0114", "`3bytes` is not a valid number", "3bytes"),
    ("let x = 'ab';", "E0103", "the character literal does not hold one character", "'"),
    ("let x = async { 1 };", "E0110", "`async` is Rust that no kernel can hold", "async"),
    ("let x = ٣;", "E0115", "`٣` begins nothing in Rust", "٣"),
    ("let x = a – b;", "E0115", "`–` begins nothing in Rust", "–"),
    ("let x = `a`;", "E0115", "'`' begins nothing in Rust", "`"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "message", "under"), BODIES)
def test_errors_in_bodies(body: str, code: str, message: str, under: str) -> None:
    before, after = "fn host() {}\n", "\n#[kernel]\nfn good() {}\n"
    parsed = parse_any(before + kernel(f"    {body}") + after)
    assert [(found.code, found.message) for found in parsed.diagnostics] == [(code, message)]
    assert parsed.under(parsed.diagnostics[0]).startswith(under)
    names = [item.name for item in parsed.file.items if isinstance(item, Function)]
    assert names[0] == "host"
    assert names[-1] == "good"
    assert ("k" in names) is (code == "E0106")


HEADS = [
    ("#[kernel]\nfn k(a: i32 b: i32) {}", "E0109", "expected `,` between these, found `b`", "i32"),
    ("#[kernel]\nfn k(a) {}", "E0110", "expected `:`", ")"),
    ("#[kernel]\nfn k<T: Triton D: Float>() {}", "E0109", "expected `,` between these, found `D`", "Triton"),
    ("#[kernel]\nfn (a: i32) {}", "E0110", "expected a name, found `(`", "("),
    ("#[kernel]\nfn k(a: i32 {\n    f(a);\n}\n", "E0105", "`(` is never closed", "("),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "under"), HEADS)
def test_errors_in_heads(text: str, code: str, message: str, under: str) -> None:
    parsed = parse_any(f"{text}\n#[kernel]\nfn good() {{}}\n")
    assert [found.code for found in parsed.diagnostics] == [code]
    assert parsed.diagnostics[0].message.startswith(message)
    assert parsed.under(parsed.diagnostics[0]).startswith(under)
    assert [item.name for item in parsed.file.items if isinstance(item, Function)] == ["good"]


FILES = [
    ("", "E0101", "the file holds no Rust item", None),
    ("// nothing\n", "E0101", "the file holds no Rust item", None),
    ("import torch\n\ndef f(x):\n    return x\n", "E0102", "the file is not Rust", "import"),
    ('{"a": [1, 2]}', "E0102", "the file is not Rust", "{"),
    ("fn f() {}\0\0\0", "E0102", "the file is not Rust: it holds NUL bytes", "\0"),
    ('fn f() { "abc; }\n', "E0103", "the string never ends", '"abc; }'),
    ("/* a /* b */\nfn f() {}\n", "E0104", "the block comment never ends", "/*"),
    ("fn f() { /* a }\n", "E0104", "the block comment never ends", "/*"),
    ("fn f() {}\n}\n", "E0106", "`}` closes nothing", "}"),
    ("fn f() {}\nlet x = 1;\n", "E0107", "expected an item, found `let`", "let"),
    ("fn f() {}\n#[a]\n", "E0107", "expected an item after its docs and attributes, found the end", "\n"),
    ("fn f()\n", "E0105", "the item never ends", "fn"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "under"), FILES)
def test_errors_of_files(text: str, code: str, message: str, under: str | None) -> None:
    parsed = parse_any(text)
    assert [(found.code, found.message) for found in parsed.diagnostics] == [(code, message)]
    if under is None:
        assert parsed.diagnostics[0].primary is None
    else:
        assert parsed.under(parsed.diagnostics[0]) == under


def test_an_unclosed_brace_is_found_by_indentation() -> None:
    body = "    while a {\n        if b {\n            f();\n        g();\n    }"
    text = kernel(body) + "\nfn next() {}\n"
    parsed = parse_any(text)
    (found,) = parsed.diagnostics
    assert found.code == "E0105"
    assert found.primary is not None
    assert parsed.source.position(found.primary.span.start) == (4, 14)
    assert [parsed.source.position(label.span.start) for label in found.related] == [(7, 5)]
    assert [item.name for item in parsed.file.items if isinstance(item, Function)] == ["next"]


def test_all_errors_of_a_file_are_reported() -> None:
    text = (
        kernel("let = 1;")
        + kernel("f(a b);")
        + "fn good() {}\n"
        + kernel("while x {")
        + kernel("g(1 2);")
    )
    parsed = parse_any(text)
    assert [found.code for found in parsed.diagnostics] == ["E0110", "E0109", "E0105", "E0109"]
    assert [item.name for item in parsed.file.items if isinstance(item, Function)] == ["good"]


def test_one_error_for_each_broken_kernel() -> None:
    parsed = parse_any(kernel("let = 1;\nlet = 2;\nf(a b);"))
    assert len(parsed.diagnostics) == 1


def test_errors_inside_modules_and_impls_are_found() -> None:
    parsed = parse_any(
        f"mod a {{\n{kernel('let = 1;')}\nfn f() {{}}\n}}\nimpl B {{ ?? }}\nfn g() {{}}\n"
    )
    assert [found.code for found in parsed.diagnostics] == ["E0110", "E0107"]
    module, impl, function = parsed.file.items
    assert isinstance(module, Module)
    assert module.items is not None
    assert len(module.items) == 1
    assert isinstance(impl, Impl)
    assert isinstance(function, Function)


def test_an_unclosed_module_keeps_what_is_in_it() -> None:
    parsed = parse_any("mod a {\nfn f() {}\n")
    assert [found.code for found in parsed.diagnostics] == ["E0105"]


def test_a_missing_mark_says_what_to_write() -> None:
    (found,) = parse_any(kernel("let x = 1\nlet y = 2;")).diagnostics
    assert found.help == "write `let x = 1;`"


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    parsed = parse_any("mod a {" * 200 + "}" * 200)
    assert [found.code for found in parsed.diagnostics] == ["E0116"]
    parsed = parse_any(kernel("a = " * 5000 + "b;"))
    assert [found.code for found in parsed.diagnostics] == ["E0116"]
    parsed = parse_any(kernel("(" * 5000 + "a" + ")" * 5000 + ";"))
    assert [found.code for found in parsed.diagnostics] == ["E0116"]
    parsed = parse_any(kernel("(" * 100 + "a" + ")" * 100 + ";"))
    assert parsed.diagnostics == ()


def test_every_code_is_explained() -> None:
    family = [code for code in CODES.values() if code.code.startswith("E01")]
    assert len(family) == 22
    assert all(code.title and code.explanation and code.wrong and code.right for code in family)
