"""Macros inside kernels and functions: where they may stand, what they see, and whose names are whose."""

from __future__ import annotations

import pytest

import transpiler
from tests.unit.passes.kernels import function, module


def body(macros: str, statements: str, *, inside: str = "") -> str:
    """The Python of a kernel that stores `y`, without the store."""
    rust = (
        f"{macros}\n#[kernel]\npub fn k<T: Triton, const BLOCK: i32>"
        "(y_ptr: T::Pointer<i32>, n: i32, a: i32, b: i32) {\n"
        f"{inside}{statements}\n"
        "    T::store(y_ptr.add_offsets(T::arange(0, BLOCK)), T::full::<i32>(&[BLOCK], y), None, &[], "
        "None, None);\n}\n"
    )
    lines = function(module(rust), "k").splitlines()
    return "\n".join(line for line in lines if not line.startswith("tl.store("))


def stored(macros: str, value: str, *, before: str = "") -> str:
    return body(macros, f"{before}let y = {value};").splitlines()[-1].removeprefix("y = ")


SUM = "macro_rules! sum { ($first:expr $(, $x:expr)* $(,)?) => { $first $(+ $x)* }; }"


@pytest.mark.parametrize(
    ("value", "python"),
    [
        ("sum!(a, b, n)", "a + b + n"),
        ("sum![a, b]", "a + b"),
        ("sum! { a, b }", "a + b"),
        ("sum!(a, b) * n", "(a + b) * n"),
        ("sum!(a * b, n)", "a * b + n"),
        ("sum!(a, sum!(b, n))", "a + (b + n)"),
        ("n * (1 + sum!(a, b)) - sum!(1, sum!(2, a),)", "n * (1 + (a + b)) - (1 + (2 + a))"),
        ("-sum!(a, b)", "-(a + b)"),
        ("{ sum!(a, b) }", "a + b"),
        ("if sum!(a, b) > n { sum!(a) } else { b }", "a if a + b > n else b"),
        ("sum!(a, b).max(n)", "tl.maximum(a + b, n)"),
    ],
)
def test_a_call_is_an_expression_wherever_one_stands(value: str, python: str) -> None:
    assert stored(SUM, value) == python


def test_an_argument_keeps_its_precedence_and_gets_no_parentheses_without_need() -> None:
    macros = "macro_rules! mul { ($a:expr, $b:expr) => { $a * $b }; }"
    assert stored(macros, "mul!(a + 1, b)") == "(a + 1) * b"
    assert stored(macros, "mul!(a.max(b), T::program_id(Axis::X))") == (
        "tl.maximum(a, b) * tl.program_id(0)"
    )


@pytest.mark.parametrize("kind", ["ty", "tt", "ident", "path"])
def test_a_type_may_be_an_argument(kind: str) -> None:
    macros = f"macro_rules! cast {{ ($x:expr, $t:{kind}) => {{ $x as $t }}; }}"
    assert stored(macros, "cast!(cast!(a, i64) * 2, i32)") == (
        "tl.cast(tl.cast(a, tl.int64) * 2, tl.int32)"
    )


@pytest.mark.parametrize(
    ("macros", "statements", "python"),
    [
        (
            "macro_rules! swap { ($x:ident, $y:ident) => { let t = $x; $x = $y; $y = t; }; }",
            "let mut y = a; let mut z = b; swap!(y, z);",
            "y = a\nz = b\nt = y\ny = z\nz = t",
        ),
        (
            "macro_rules! bind { ($x:ident = $e:expr) => { let $x = $e + 1 }; }",
            "bind!(y = a * b);",
            "y = a * b + 1",
        ),
        (
            "macro_rules! when { ($c:expr => $($s:stmt;)*) => { if $c { $($s;)* } }; }",
            "let mut y = a; when! { a > b => y = 1; y += n; }",
            "y = a\nif a > b:\n    y = 1\n    y += n",
        ),
        (
            "macro_rules! add { ($x:ident, $($e:expr),*) => { $($x += $e;)* }; }",
            "let mut y = a;\nadd!(y, 1, b);\nadd! { y, n }",
            "y = a\ny += 1\ny += b\ny += n",
        ),
        ("macro_rules! nothing { () => {}; }", "nothing!(); let y = a; nothing! {}", "y = a"),
        (
            "macro_rules! block { ($b:block) => { let y = 1; let z = $b; }; }",
            "block!({ a + b }); let y = a;",
            "y = 1\nz = a + b\ny = a",
        ),
    ],
)
def test_a_call_may_be_statements(macros: str, statements: str, python: str) -> None:
    assert body(macros, statements) == python


def test_comments_stay() -> None:
    macros = (
        "macro_rules! add { ($x:ident) => {\n// once more\n$x += 1;\n\n// and again\n$x += 2; }; }"
    )
    assert body(macros, "let mut y = a;\n\n    // first\n    add!(y);") == (
        "y = a\n\n# first\n# once more\ny += 1\n\n# and again\ny += 2"
    )


# --- Hygiene --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("macros", "statements", "python"),
    [
        pytest.param(
            "macro_rules! square { ($x:expr) => {{ let t = $x; t * t }}; }",
            "let t = b; let y = square!(t + 1) + t;",
            "t = b\nt_1 = t + 1\nvalue = t_1 * t_1\ny = value + t",
            id="its own variable hides none",
        ),
        pytest.param(
            "macro_rules! own { () => { let t = 1; }; }",
            "let t = a; own!(); let y = t;",
            "t = a\nt_1 = 1\ny = t",
            id="its own variable is not seen after it",
        ),
        pytest.param(
            "macro_rules! given { ($t:ident) => { let $t = 1; }; }",
            "let t = a; given!(t); let y = t;",
            "t = a\nt = 1\ny = t",
            id="a name that is given is",
        ),
        pytest.param(
            "macro_rules! pair { ($e:expr) => {{ let (t, (u, _)) = ($e, (7, 8)); t * u }}; }",
            "let (t, u) = (a, 2); let y = pair!(t - u) + t * u;",
            "t = a\nu = 2\n"
            "t_1, pair = t - u, (tl.full([], 7, tl.int32), tl.full([], 8, tl.int32))\n"
            "u_1, _ = pair\nvalue = t_1 * u_1\ny = value + t * u",
            id="tuple patterns",
        ),
        pytest.param(
            "macro_rules! sum { ($i:ident, $e:expr) => {{ let mut s = 0; for $i in 0..4 { s += $e; } s }}; }",
            "let s = a; let y = sum!(i, i * s);",
            "s = a\ns_1 = 0\nfor i in range(4):\n    s_1 += i * s\ny = s_1",
            id="loop variables",
        ),
        pytest.param(
            "macro_rules! pick { ($e:expr) => { match $e { 0 => 1, t if t > 5 => t, _ => 2 } }; }",
            "let t = a; let y = pick!(t + 1);",
            None,
            id="match bindings",
        ),
    ],
)
def test_names_of_a_macro_and_its_caller_are_two(
    macros: str, statements: str, python: str | None
) -> None:
    found = body(macros, statements)
    if python is not None:
        assert found == python
    else:
        assert "t = a" in found


def test_labels_are_apart() -> None:
    macros = "macro_rules! twice { ($b:block) => { 'out: for _ in 0..2 { $b if n > 3 { break 'out; } } }; }"
    macros = macros.replace("n > 3", "true")
    inside = "let mut y = 0; 'out: while y < n { twice!({ y += 1; if y > a { continue 'out; } }); }"
    assert "y > a" in body(macros, inside)
    hidden = "macro_rules! leave { () => { break 'out }; }"
    rust = f"{hidden}\n#[kernel]\nfn k<T: Triton>(n: i32) {{ 'out: loop {{ leave!(); }} }}"
    messages = {each.code: each.message for each in transpiler.transpile(rust).diagnostics}
    assert messages["E0604"] == "no loop around this has the label `'out`"


def test_a_macro_sees_what_is_in_scope_where_it_is_defined() -> None:
    inside = "let t = a; macro_rules! t { () => { t } }\n"
    assert body("", "let t = b; let y = t!() - t;", inside=inside) == "t = a\nt_1 = b\ny = t - t_1"


def test_constants_and_functions_are_seen_by_name() -> None:
    macros = """const SCALE: i32 = 3;
        fn twice(x: i32) -> i32 { x + x }
        macro_rules! scaled { ($x:expr) => { $crate::twice($x) * SCALE + BLOCK }; }"""
    assert stored(macros, "scaled!(a)") == "twice(a) * 3 + BLOCK"


# --- Scope of macros ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "macros",
    [
        "macro_rules! one { () => { 1 }; }\nmacro_rules! one { () => { 2 }; }",
        "#[macro_use] mod inner { macro_rules! one { () => { 2 }; } }",
        "macro_rules! one { () => { 2 }; } mod inner { macro_rules! one { () => { 1 }; } }",
        "mod inner { #[macro_export] macro_rules! one { () => { 2 }; } }",
        "mod inner { macro_rules! one { () => { 2 }; } pub(crate) use one; } use inner::one;",
        "macro_rules! two { ($n:ident) => { macro_rules! $n { () => { 2 }; } }; } two!(one);",
        "macro_rules! two { () => { 2 }; } macro_rules! one { ($($t:tt)*) => { two!($($t)*) }; }",
    ],
)
def test_the_macro_that_is_in_scope_is_called(macros: str) -> None:
    assert stored(macros, "one!() + a") == "2 + a"


def test_exported_macros_are_called_by_path_before_their_definition() -> None:
    rust = module(
        "#[kernel]\nfn k<T: Triton>(y_ptr: T::Pointer<i32>, a: i32) "
        "{ let y = T::full::<i32>(&[4], crate::one!() + a);\n"
        "T::store(y_ptr.add_offsets(T::arange(0, 4)), y, None, &[], None, None); }\n"
        "#[macro_export]\nmacro_rules! one { () => { 2 }; }"
    )
    assert "tl.full([4], 2 + a, tl.int32)" in rust


def test_internal_rules_and_recursion() -> None:
    macros = """macro_rules! horner {
        (@go $x:expr; $acc:expr;) => { $acc };
        (@go $x:expr; $acc:expr; $c:expr $(, $rest:expr)*) => { horner!(@go $x; $acc * $x + $c; $($rest),*) };
        ($x:expr; $c:expr $(, $rest:expr)*) => { horner!(@go $x; $c; $($rest),*) };
    }"""
    assert stored(macros, "horner!(a; 1, 2, 3)") == "(1 * a + 2) * a + 3"


def test_functions_that_kernels_call_use_macros_too() -> None:
    macros = SUM + " fn total(x: i32, y: i32) -> i32 { sum!(x, y, 1) }"
    rust = f"{macros}\n#[kernel]\nfn k<T: Triton>(a: i32, b: i32) {{ let y = total(a, b); }}"
    assert function(module(rust), "total") == "return x + y + 1"


def test_host_functions_may_call_what_they_like() -> None:
    macros = SUM + ' fn host() { println!("{}", sum!()); unknown!(1); let v = sum!(;); }'
    assert stored(macros, "sum!(a)") == "a"


def test_a_hundred_levels_of_recursion() -> None:
    macros = (
        """macro_rules! count { () => { 0 }; ($t:tt $($rest:tt)*) => { 1 + count!($($rest)*) }; }"""
    )
    assert stored(macros, f"a + count!({'x ' * 100})") == "a + 100"


def test_a_line_of_a_macro_leads_to_its_call() -> None:
    rust = """macro_rules! twice { ($x:expr) => { $x + $x }; }
#[kernel]
fn k<T: Triton>(y_ptr: T::Pointer<i32>, a: i32) {
    let y = 1;
    T::store(y_ptr.add_offsets(T::arange(0, 4)), T::full::<i32>(&[4], twice!(a)), None, &[], None, None);
}
"""
    result = transpiler.transpile(rust)
    assert result.text is not None
    assert result.line_map is not None
    line = (
        result.text.splitlines().index(
            "    tl.store(y_ptr + tl.arange(0, 4), tl.full([4], a + a, tl.int32))"
        )
        + 1
    )
    span = result.line_map.rust_span(line)
    assert span is not None
    assert result.source.position(span.start).line == 5


def test_patterns_and_types() -> None:
    macros = """macro_rules! pair { ($a:ident, $b:ident) => { ($a, $b) }; }
        macro_rules! few { () => { 0 | 4 }; }
        macro_rules! int { () => { i64 }; }"""
    inside = "let pair!(p, q) = (a, 2); let y = match n { few!() => p as int!() as i32, _ => q };"
    assert body(macros, inside) == (
        "p = a\nq = 2\ny = tl.cast(tl.cast(p, tl.int64), tl.int32) if n == 0 or n == 4 else q"
    )


def test_attributes_of_a_statement_do_not_make_it_a_value() -> None:
    macros = "macro_rules! bind { ($x:ident = $e:expr) => { let $x = $e; }; }"
    assert body(macros, "#[allow(unused)]\nbind!(y = a + b);") == "y = a + b"


def test_a_condition_on_a_call_holds_for_all_its_items() -> None:
    rust = """macro_rules! both { ($a:ident, $b:ident) => {
        #[kernel] pub fn $a<T: Triton>(n: i32) {}
        #[kernel] pub fn $b<T: Triton>(n: i32) {}
    }; }
    #[cfg(feature = "x")]
    both!(a, b);
    both! { c, d }
    """
    options = transpiler.Options(default_features=False)
    kernels = transpiler.transpile(rust, options=options).kernels
    assert [each.kernel.name for each in kernels] == ["c", "d"]


def test_helper_functions_constants_and_docs_from_macros() -> None:
    rust = """macro_rules! helpers { ($($name:ident => $op:tt),*) => {
        $(fn $name(a: i32, b: i32) -> i32 { a $op b })*
        const LIMIT: i32 = 7;
    }; }
    helpers!(plus => +, times => *);
    macro_rules! kernel { ($(#[$meta:meta])* $name:ident, $f:ident) => {
        $(#[$meta])*
        #[kernel]
        pub fn $name<T: Triton>(y_ptr: T::Pointer<i32>, n: i32) {
            let y = T::full::<i32>(&[4], $f(n, LIMIT));
            T::store(y_ptr.add_offsets(T::arange(0, 4)), y, None, &[], None, None);
        }
    }; }
    kernel! {
        /// Adds "the" limit.
        add, plus
    }
    """
    text = module(rust)
    assert '    """Adds "the" limit."""\n' in text
    assert "y = tl.full([4], plus(n, 7), tl.int32)" in text
