"""What host code is written in: structs, closures, literals of structs, patterns, vectors, raw pointers."""

from __future__ import annotations

import pytest

from tests.unit.frontend.parsing import kernel, parse, statement, value, without_spans
from transpiler.syntax.nodes import (
    Array,
    ArrayRepeat,
    Cast,
    Closure,
    ConstParameter,
    IdentifierPattern,
    Impl,
    Let,
    LifetimeParameter,
    MacroCall,
    MethodCall,
    Pattern,
    PointerType,
    ReferencePattern,
    RestPattern,
    SlicePattern,
    Struct,
    StructKind,
    StructLiteral,
    StructPattern,
    TuplePattern,
    TupleStructPattern,
    TypeParameter,
)
from transpiler.syntax.printer import print_expression, print_file, print_type

BODIES = [
    "let f = Foo { a: 1, b, ..c }; Foo { a: 1, .. } = g; let h = a::Foo::<D> { 0: x, 1: y };",
    "let f = Foo { a: long_name_of_a_function(one_argument, two_arguments), b: vec![vec![1; n], x], ..base };",
    "let f = Foo {\n// above\n a, // beside\n\n #[cfg(x)] #[y] r#type: |z| { g(z); z },\n // below\n};",
    "let c = x.iter().map(|(_, s)| s[1] as i32).fold(1, |a, b| a * b); let d = move |&x: &usize, [a, ..]| -> T { x };",
    "let c = x.map(|a| { let b = a; b }).filter(|&&b| b > 0).map(|Some(c)| c); let d = f(|| {}); g(|x| { h(); });",
    "let [a, b, ..] = x; let [n, c, rest @ ..] = y; let [] = z; let [.., last] = w;",
    "if let Foo { a, b: Some(c), ref mut d, 0: _, .. } = x { f(); } let Foo { .. } = y; let Foo {} = z;",
    "let &x = y; let &mut x = y; let &(mut x) = y; let &&(a, b) = y; let &mut Foo(ref a) = y;",
    "match x { &(1 | 2) => a, Foo() => b, Foo(..) | Bar(_, [1, _]) => c, _ => d }",
    "let p = x as *mut D; let q = (x as *const T::Scalar).add(c); let r = unsafe { (x as *mut D).add(c) } as RawPtr;",
    "let p: *const *mut [u8; 2] = x; let q: Option<*mut D> = y; let r: fn(*mut u8) -> *const u8 = z;",
    "let n = x.iter().product::<usize>() / (&inputs[..i]).len() + *dims.last().unwrap();",
    "let r = &x[1..]; let s = &x[..];",
    "let n = x\n// the shape\n.iter() // of all\n.product::<usize>();",
    "let Some(x) = y.get(1).copied() else { return vec![] }; while let Some((i, d)) = it.next() { f(); }",
    "if let Some(x) = y && x > 1 && let [a, b] = z[..] { f(); } else if let Err(_) = w { g(); }",
    "let x = f(a, |b| { let c = b; c }, move || Foo { a: 1 });",
]
ITEMS = [
    "struct A(pub u32, #[b] pub(crate) (C, D),);\nstruct E(\n// above\n F, // beside\n);\nstruct G();\nstruct H {}",
    "struct A<'a, D: B + 'static, const N: usize>(PhantomData<&'a [D; N]>) where D: C;\nstruct E<F> where F: G;",
    (
        "struct A {\n/// Doc.\n#[b(c)]\n pub(in a::b) c: Vec<(D, [E<F, { 1 }>; 2])>, // beside\n"
        "\n// above\n r#type: fn(A, B) -> C,\n// below\n}"
    ),
    "struct A<D = f32> { a: D }\nstruct B { a }\npub struct C { a: *const u8 /* why */, b: &'static str }",
    "impl<'a, D: Num + 'static, const N: usize> A<'a, D, N> { fn f(&self) { let x; } }",
]


@pytest.mark.parametrize("text", [*map(kernel, BODIES), *ITEMS])
def test_what_is_printed_is_parsed_again(text: str) -> None:
    tree = parse(text)
    printed = print_file(tree)
    again = parse(printed)
    assert without_spans(again) == without_spans(tree)
    assert print_file(again) == printed


def struct(text: str) -> Struct:
    (item,) = parse(text).items
    assert isinstance(item, Struct)
    return item


def test_structs_have_generics_and_fields() -> None:
    item = struct(
        "/// S.\npub struct A<'a, D: F + 'static, const N: usize> where D: G {\n"
        "    // above\n    /// Doc.\n    #[b]\n    pub(crate) c: Vec<(D, [u8; N])>, // beside\n\n"
        "    d: *mut D,\n}"
    )
    assert [type(generic) for generic in item.generics] == [
        LifetimeParameter,
        TypeParameter,
        ConstParameter,
    ]
    assert (item.name, item.kind, item.where_clause) == ("A", StructKind.NAMED, "D: G")
    first, second = item.fields
    assert (first.name, print_type(first.type)) == ("c", "Vec<(D, [u8; N])>")
    assert (first.head.docs, first.head.visibility) == (("Doc.",), "pub(crate)")
    assert [attribute.name for attribute in first.head.attributes] == ["b"]
    trivia = first.head.trivia
    assert [comment.text for comment in trivia.leading] == ["// above"]
    assert trivia.trailing is not None
    assert trivia.trailing.text == "// beside"
    assert isinstance(second.type, PointerType)
    assert second.head.trivia.blank_before
    assert item.rest is None


def test_tuple_and_unit_structs() -> None:
    item = struct("struct A(pub u32, (B, C), PhantomData<D>,);")
    assert item.kind is StructKind.TUPLE
    assert [(field.name, field.head.visibility) for field in item.fields] == [
        ("0", "pub"),
        ("1", ""),
        ("2", ""),
    ]
    unit = struct("struct A;")
    assert (unit.kind, unit.fields) == (StructKind.UNIT, ())


def test_a_struct_written_in_an_unknown_way_is_kept_as_written() -> None:
    item = struct("struct A<D = f32>  { a: D }")
    assert (item.rest, item.generics, item.fields) == ("<D = f32>  { a: D }", (), ())


def test_impls_have_generics() -> None:
    (item,) = parse("impl<D: Float + 'static, const N: usize> A<D, N> {}").items
    assert isinstance(item, Impl)
    assert [generic.name for generic in item.generics] == ["D", "N"]
    assert item.generics_text == "<D: Float + 'static, const N: usize>"


def test_closures() -> None:
    call = value("shapes.iter().map(move |(_, s), n: usize| -> i32 { s[1] as i32 })")
    assert isinstance(call, MethodCall)
    (closure,) = call.arguments
    assert isinstance(closure, Closure)
    first, second = closure.parameters
    assert isinstance(first.pattern, TuplePattern)
    assert first.type is None
    assert second.type is not None
    assert closure.is_move
    assert closure.return_type is not None
    assert print_expression(closure.body) == "{ s[1] as i32 }"
    plain = value("|| 3")
    assert isinstance(plain, Closure)
    assert (plain.parameters, plain.return_type, plain.is_move) == ((), None, False)


def test_literals_of_structs() -> None:
    literal = value("Self { kernel: Kernel::<D>::new(n), n, ..base() }")
    assert isinstance(literal, StructLiteral)
    assert [(field.name, field.is_shorthand) for field in literal.fields] == [
        ("kernel", False),
        ("n", True),
    ]
    assert [print_expression(field.value) for field in literal.fields] == [
        "Kernel::<D>::new(n)",
        "n",
    ]
    assert literal.base is not None


@pytest.mark.parametrize("written", ["vec![a, b + 1]", "vec![a, b + 1,]", "vec!(a, b + 1)"])
def test_vectors_of_values(written: str) -> None:
    call = value(written)
    assert isinstance(call, MacroCall)
    assert isinstance(call.array, Array)
    assert [print_expression(element) for element in call.array.elements] == ["a", "b + 1"]


@pytest.mark.parametrize("written", ["vec![f(a, b); n - 1]", "vec!(f(a, b); n - 1)"])
def test_vectors_of_one_value_many_times(written: str) -> None:
    call = value(written)
    assert isinstance(call, MacroCall)
    assert isinstance(call.array, ArrayRepeat)
    assert print_expression(call.array.element) == "f(a, b)"
    assert print_expression(call.array.length) == "n - 1"


def test_vectors_of_one_value_and_in_each_other() -> None:
    call = value("vec![vec![c / self.g; 4]]")
    assert isinstance(call, MacroCall)
    assert isinstance(call.array, Array)
    (inner,) = call.array.elements
    assert isinstance(inner, MacroCall)
    assert isinstance(inner.array, ArrayRepeat)
    assert print_expression(inner.array.element) == "c / self.g"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("<D as Float>::SIZE", "D::SIZE"),
        ("<Self as a::Op<D>>::grid(self, shape)", "Self::grid(self, shape)"),
    ],
)
def test_the_trait_of_a_path_adds_nothing(written: str, plain: str) -> None:
    assert print_expression(value(written)) == plain


def test_macros_that_make_a_text_have_arguments_where_they_can_be_read() -> None:
    call = value('panic!("{} of {}", a, b.len())')
    assert isinstance(call, MacroCall)
    assert [print_expression(each) for each in call.arguments] == ['"{} of {}"', "a", "b.len()"]
    odd = value("todo!(a b)")
    assert isinstance(odd, MacroCall)
    assert odd.arguments == ()


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Some(x)", TupleStructPattern),
        ("a::B(x, _, ..)", TupleStructPattern),
        ("&x", ReferencePattern),
        ("&mut x", ReferencePattern),
        ("&&x", ReferencePattern),
        ("Foo { a, b: Some(c), .. }", StructPattern),
        ("[a, b, ..]", SlicePattern),
    ],
)
def test_patterns(written: str, kind: type[Pattern]) -> None:
    let = statement(f"let {written} = y;")
    assert isinstance(let, Let)
    assert type(let.pattern) is kind


def test_the_rest_of_a_slice_may_have_a_name() -> None:
    let = statement("let [n, c, rest @ ..] = y;")
    assert isinstance(let, Let)
    assert isinstance(let.pattern, SlicePattern)
    last = let.pattern.elements[-1]
    assert isinstance(last, IdentifierPattern)
    assert isinstance(last.subpattern, RestPattern)


def test_mut_behind_a_reference_belongs_to_the_reference() -> None:
    let = statement("let &mut x = y;")
    assert isinstance(let, Let)
    pattern = let.pattern
    assert isinstance(pattern, ReferencePattern)
    assert isinstance(pattern.pattern, IdentifierPattern)
    assert (pattern.is_mutable, pattern.pattern.is_mutable) == (True, False)


def test_raw_pointers_are_types() -> None:
    cast = value("x as *mut T::Scalar")
    assert isinstance(cast, Cast)
    assert isinstance(cast.type, PointerType)
    assert cast.type.is_mutable
    assert print_type(cast.type.pointee) == "T::Scalar"
