"""Items: those we model, those we keep as written, and what stands before them."""

from __future__ import annotations

import pytest

from tests.unit.frontend.parsing import kernel, parse, parse_any
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_body
from transpiler.source import SourceFile
from transpiler.syntax.nodes import (
    Block,
    Const,
    ConstParameter,
    Enumeration,
    Function,
    IdentifierPattern,
    Impl,
    LifetimeParameter,
    Module,
    OpaqueBody,
    OpaqueItem,
    Struct,
    TypeParameter,
    Use,
)

HEAD = """\
/// Scales rows.
///
///  Indented.
#[cfg(feature = "training")]
#[kernel(backward = ScaleBackward, dtypes = [f32, f64])]
pub fn scale<'a, T: Triton, D: Float + Send + ?Sized + 'a, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, // read
    // how many
    rows: i32,
    mut alpha: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>, // { no body; yet }
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    [u8; 3]: Sized,
{
    f();
}
"""


def function(text: str) -> Function:
    (only,) = parse(text).items
    assert isinstance(only, Function)
    return only


def test_the_head_of_a_kernel() -> None:
    kernel_ = function(HEAD)
    assert kernel_.head.docs == ("Scales rows.", "", " Indented.")
    assert [attribute.name for attribute in kernel_.head.attributes] == ["cfg", "kernel"]
    assert kernel_.head.visibility == "pub"
    assert kernel_.name == "scale"
    lifetime, triton, dtype, block = kernel_.generics
    assert isinstance(lifetime, LifetimeParameter)
    assert isinstance(triton, TypeParameter)
    assert isinstance(dtype, TypeParameter)
    assert [bound.identifier for bound in dtype.bounds] == ["Float", "Send"]
    assert isinstance(block, ConstParameter)
    names = [parameter.pattern.name for parameter in kernel_.parameters]  # type: ignore[union-attr]
    assert names == ["x_ptr", "rows", "alpha"]
    assert kernel_.where_clause is not None
    assert kernel_.where_clause.endswith("[u8; 3]: Sized,")
    assert isinstance(kernel_.body, Block)


def test_comments_stay_on_parameters() -> None:
    first, second, third = function(HEAD).parameters
    assert first.trivia.trailing is not None
    assert first.trivia.trailing.text == "// read"
    assert [comment.text for comment in second.trivia.leading] == ["// how many"]
    assert third.trivia.leading == ()
    assert isinstance(third.pattern, IdentifierPattern)
    assert third.pattern.is_mutable


def test_attributes_are_meta_items() -> None:
    cfg, kernel_ = function(HEAD).head.attributes
    assert cfg.meta is not None
    assert cfg.meta.items is not None
    assert cfg.meta.items[0].path is not None
    assert cfg.meta.items[0].path.identifier == "feature"
    assert kernel_.meta is not None
    assert kernel_.meta.items is not None
    backward, dtypes = kernel_.meta.items
    assert len(dtypes.value.elements) == 2  # type: ignore[union-attr]
    assert backward.path is not None
    assert backward.path.identifier == "backward"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("#[a]", "a"),
        ("#[a::b]", "b"),
        ("#[a(b, c = 1, d(e), 2, [f])]", "a"),
        ('#[a = "b"]', "a"),
        ("#[a(b => c)]", None),
        ("#[unsafe(no_mangle)]", None),
    ],
)
def test_attributes_of_every_kind(written: str, name: str | None) -> None:
    attribute = function(f"{written} fn f() {{}}").head.attributes[0]
    assert attribute.text == written
    assert attribute.name == name


@pytest.mark.parametrize(
    ("written", "docs"),
    [
        ("/// a\n/// b\n", ("a", "b")),
        ("/** a */\n", ("a",)),
        ("/**\n * a\n *  b\n *\n * c\n */\n", ("a", " b", "", "c")),
        ("/**\n   a\n     b\n*/\n", ("a", "  b")),
        ('#[doc = " a"]\n#[doc = "b"]\n', ("a", "b")),
        ("//// no doc\n/*** none */\n/**/\n", ()),
        ("/// a\r\n/// b\r\n", ("a", "b")),
    ],
)
def test_docs(written: str, docs: tuple[str, ...]) -> None:
    assert function(f"{written}fn f() {{}}").head.docs == docs


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("use a::{b, c};", Use),
        ("pub(crate) use a::*;", Use),
        ("struct A;", Struct),
        ("struct A(u32, B);", Struct),
        ("pub struct A<D: F + 'static> where D: G { a: [u8; 3], b: D }", Struct),
        ("const A: [i32; 2] = [1, 2];", Const),
        ("static mut A: Foo<{ 3 }> = Foo { a: 1 };", Const),
        ("const F: fn(i32) -> i32 = |x| x;", Const),
        ("mod a;", Module),
        ("mod a { fn b() {} }", Module),
        ("impl<D: F<A = B>> a::C for D<E> where D: G { const N: usize = 1; type T = u8; fn f(&self) {} }", Impl),
        ("impl A {}", Impl),
        ("const fn f() {}", Function),
        ('pub unsafe extern "C" fn f(a: i32) -> i32;', Function),
        ("async fn f() {}", Function),
        ("unsafe impl Send for A {}", OpaqueItem),
        ("enum A { B(u32), C { d: u8 } }", OpaqueItem),
        ("trait A: B { fn f(); }", OpaqueItem),
        ("pub auto trait A {}", OpaqueItem),
        ("union A { a: u8, b: i8 }", OpaqueItem),
        ("type A<B> = C<{ 1 }>;", OpaqueItem),
        ("extern crate a;", OpaqueItem),
        ('extern "C" { fn f(); }', OpaqueItem),
        ("macro_rules! a { ($x:expr) => { $x }; }", OpaqueItem),
        ("macro_rules! a (() => {});", OpaqueItem),
        ("a::b! { anything }", OpaqueItem),
        ("a!(anything);", OpaqueItem),
        ("gen fn f() { yield 1; }", Function),
        ("fn f(a: i32, ...) {}", OpaqueItem),
    ],
)  # fmt: skip
def test_every_item_leaves_the_kernel_after_it_alone(written: str, kind: type) -> None:
    first, second = parse(f"{written}\n{kernel('f();')}").items
    assert type(first) is kind
    assert isinstance(second, Function)
    assert isinstance(second.body, Block)


def test_an_opaque_item_is_kept_as_written() -> None:
    (item,) = parse("pub enum  A { B(i32) }").items
    assert isinstance(item, OpaqueItem)
    assert (item.keyword, item.text, item.head.visibility) == ("enum", "enum  A { B(i32) }", "pub")


def test_an_enum_without_data_has_variants() -> None:
    (item,) = parse("enum A { /// Docs.\n B, #[default] C = -3, /* and */ D }").items
    assert isinstance(item, Enumeration)
    assert [variant.name for variant in item.variants] == ["B", "C", "D"]
    assert [variant.value is None for variant in item.variants] == [True, False, True]


def test_impls() -> None:
    (item,) = parse(
        "impl<D: Float> a::RuntimeOp for Norm<D> { #[cfg(x)] fn f(&mut self, n: i32) -> i32 { n } }"
    ).items
    assert isinstance(item, Impl)
    assert item.generics_text == "<D: Float>"
    assert [generic.name for generic in item.generics] == ["D"]
    assert item.trait is not None
    (method,) = item.items
    assert isinstance(method, Function)
    assert method.receiver == "&mut self"
    assert isinstance(method.body, OpaqueBody)
    assert method.body.text == "{ n }"


@pytest.mark.parametrize(
    "receiver",
    ["self", "mut self", "&self", "&mut self", "&'a self", "&'a mut self", "self: Box<Self>"],
)
def test_receivers(receiver: str) -> None:
    (item,) = parse(f"impl A {{ fn f({receiver}, n: i32) {{}} }}").items
    assert isinstance(item, Impl)
    method = item.items[0]
    assert isinstance(method, Function)
    assert (method.receiver, len(method.parameters)) == (receiver, 1)


def test_kernels_in_modules_are_found() -> None:
    (module,) = parse(f"mod outer {{ mod inner {{ {kernel('f();')} }} }}").items
    assert isinstance(module, Module)
    assert module.items is not None
    inner = module.items[0]
    assert isinstance(inner, Module)
    assert inner.items is not None
    assert isinstance(inner.items[0], Function)
    assert isinstance(inner.items[0].body, Block)


def test_functions_that_kernels_call_are_parsed_others_are_not() -> None:
    text = (
        kernel("helper(1);")
        + "fn helper(a: i32) { deeper(a); }\nfn deeper(a: i32) {}\nfn host() {}\n"
    )
    bodies = [type(item.body) for item in parse(text).items if isinstance(item, Function)]
    assert bodies == [Block, Block, Block, OpaqueBody]


def test_a_host_function_outside_the_grammar_is_no_error() -> None:
    text = kernel("helper(1);") + "fn helper(a: i32) { let x = a + return; yield 3; }\n"
    helper = parse(text).items[1]
    assert isinstance(helper, Function)
    assert isinstance(helper.body, OpaqueBody)


def test_parse_body_parses_any_function() -> None:
    source = SourceFile(
        "test.rs", "impl A { fn f(&self) -> i32 { let x = self.n; x } fn g() { let; } }"
    )
    (item,) = parse(source.text).items
    assert isinstance(item, Impl)
    good, bad = item.items
    assert isinstance(good, Function)
    assert isinstance(bad, Function)
    sink = Sink()
    body = parse_body(good, source, sink)
    assert body is not None
    assert source.slice(body.span) == "{ let x = self.n; x }"
    assert not sink.has_errors
    assert parse_body(bad, source, sink) is None
    assert [found.code for found in sink.diagnostics] == ["E0110"]


def test_the_top_of_a_file() -> None:
    file = parse(
        "#!/usr/bin/env run\n// licence\n\n//! Docs.\n//!\n//! More.\n\n#![allow(x)]\n\n// about a\nuse a;\n"
    )
    assert [comment.text for comment in file.header_comments] == ["// licence"]
    assert file.docs == ("Docs.", "", "More.")
    assert [attribute.name for attribute in file.attributes] == ["allow"]
    assert file.attributes[0].is_inner
    assert [comment.text for comment in file.items[0].head.trivia.leading] == ["// about a"]


def test_a_licence_without_docs_is_the_header() -> None:
    file = parse("/* licence */\n\n// about a\nuse a;\n// the end\n")
    assert [comment.text for comment in file.header_comments] == ["/* licence */"]
    assert [comment.text for comment in file.items[0].head.trivia.leading] == ["// about a"]
    assert [comment.text for comment in file.closing_comments] == ["// the end"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_tabs_and_byte_order_marks(end: str, mark: str) -> None:
    text = mark + kernel("\t// größer\n\tlet x = 1;\t// ∑\n").replace("\n", end)
    (function_,) = parse(text).items
    assert isinstance(function_, Function)
    assert isinstance(function_.body, Block)
    trivia = function_.body.statements[0].trivia
    assert trivia.leading[0].text == "// größer"
    assert trivia.trailing is not None
    assert trivia.trailing.text == "// ∑"


def test_spans_are_offsets_into_the_file() -> None:
    parsed = parse_any("// ü\r\n" + kernel("let x = a + b;"))
    function_ = parsed.file.items[0]
    assert isinstance(function_, Function)
    assert isinstance(function_.body, Block)
    assert parsed.source.slice(function_.name_span) == "k"
    let = function_.body.statements[0]
    assert parsed.source.slice(let.span) == "let x = a + b;"
    assert parsed.source.slice(let.value.span) == "a + b"  # type: ignore[union-attr]
