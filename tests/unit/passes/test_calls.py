"""Functions that kernels call: how they are printed, what they are given, what is known of them."""

from __future__ import annotations

import textwrap

import pytest

import transpiler
from tests.unit.passes.kernels import LOAD, dumped, function, kernel, module, signature, store


def called(items: str, body: str, *, name: str, **rest: str) -> str:
    """The statements of the function `name` of a file, docstring and comments kept."""
    return function(module(items + kernel(body, **rest)), name)


def lines(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


SQUARE = "fn square<T: Triton, D: Num>(x: T::Tensor<D>) -> T::Tensor<D> { x * x }\n"


# --- Dtypes and constants -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "call", "parameters", "dtype"),
    [
        ("(x: T::Tensor<D>) -> T::Tensor<D>", "f(x)", ["x"], "x.dtype"),
        (
            "(p: T::Pointer<D>) -> T::Tensor<D>",
            "f(x_ptr)",
            ["p"],
            "(\n    p.dtype.element_ty if p.dtype.element_ty.primitive_bitwidth > 16 else tl.float32\n)",
        ),
        ("(s: D) -> T::Tensor<D>", "f::<T, D>(D::from_f64(2.0))", ["s", "D: tl.constexpr"], None),
        ("() -> T::Tensor<D>", "f::<T, D>()", ["D: tl.constexpr"], None),
    ],
)
def test_a_dtype_is_read_off_what_has_it_and_passed_otherwise(
    head: str, call: str, parameters: list[str], dtype: str | None
) -> None:
    items = f"fn f<T: Triton, D: Float>{head} {{ T::zeros::<D>(&[64]) }}\n"
    text = module(items + kernel(LOAD + f"let y = {call};\n"))
    assert signature(text, "f") == parameters
    expected = "" if dtype is None else f"D: tl.constexpr = {dtype}\n"
    assert function(text, "f") == f"{expected}return tl.zeros([64], D)"
    passed = "f(x)" if dtype == "x.dtype" else call.replace("::<T, D>", "")
    if dtype is None:
        passed = "f(D)" if head.startswith("()") else "f(tl.full([], 2.0, D), D)"
    assert f"y = {passed}" in function(text, "k").splitlines()


def test_a_concrete_dtype_is_passed_as_it_is() -> None:
    items = "fn f<T: Triton, D: Num>() -> T::Tensor<D> { T::zeros::<D>(&[64]) }\n"
    text = function(
        module(items + kernel("let y = f::<T, i64>();\nlet z: T::Tensor<u8> = f();")), "k"
    )
    assert text == "y = f(tl.int64)\nz = f(tl.uint8)"


def test_const_generics_are_parameters() -> None:
    items = (
        "fn f<T: Triton, D: Float, const N: i32, const UP: bool>(x: T::Tensor<D>) -> T::Tensor<D> {\n"
        "    let one = T::full::<D>(&[N], D::from_f64(1.0));\n"
        "    if UP { x + one } else { x - one }\n}\n"
    )
    text = module(items + kernel(LOAD + store("f::<T, D, BLOCK, true>(x)")))
    assert signature(text, "f") == ["x", "N: tl.constexpr", "UP: tl.constexpr"]
    assert function(text, "f").splitlines()[1:] == [
        "one = tl.full([N], 1.0, D)",
        "return x + one if UP else x - one",
    ]
    assert "f(x, BLOCK, True)" in function(text, "k")


def test_a_parameter_that_sizes_a_tile_is_a_constant() -> None:
    items = (
        "fn lanes<T: Triton>(count: i32, from: i32) -> T::I32Tensor {\n"
        "    let twice = count * 2;\n    T::arange(0, twice) + from\n}\n"
    )
    text = module(items + kernel("let a = lanes::<T>(BLOCK, 3);\nlet b = lanes::<T>(32, n);"))
    assert signature(text, "lanes") == ["count: tl.constexpr", "from_"]
    assert function(text, "lanes") == lines(
        """
        twice: tl.constexpr = count * 2
        return tl.arange(0, twice) + from_
        """
    )
    assert function(text, "k") == "a = lanes(BLOCK, 3)\nb = lanes(32, n)"


def test_a_constant_of_the_caller_that_sizes_a_tile_of_the_function_stays_one() -> None:
    items = "fn lanes<T: Triton>(count: i32) -> T::I32Tensor { T::arange(0, count) }\n"
    text = function(module(items + kernel("let part = BLOCK * 2;\nlet a = lanes::<T>(part);")), "k")
    assert text == "part: tl.constexpr = BLOCK * 2\na = lanes(part)"


def test_a_call_with_a_result_known_at_compile_time_is_its_result() -> None:
    items = (
        "fn padded(n: i32, by: i32) -> i32 { let more = n + by; more * 2 }\n"
        "const WIDTH: i32 = padded(30, 2);\n"
    )
    body = "let a = T::arange(0, WIDTH);\nlet b = T::arange(0, padded(BLOCK, 0));\nlet c = padded(n, 2);"
    text = module(items + kernel(body))
    assert function(text, "k") == lines(
        """
        a = tl.arange(0, 64)
        b = tl.arange(0, (BLOCK + 0) * 2)
        c = padded(n, 2)
        """
    )


def test_a_result_that_would_overflow_is_left_to_the_kernel() -> None:
    items = "fn total(a: u8, b: u8) -> u8 { a + b }\n"
    text = function(module(items + kernel("let a = total(200, 100);")), "k")
    assert text == "a = total(tl.full([], 200, tl.uint8), tl.full([], 100, tl.uint8))"


# --- Arguments and results ------------------------------------------------------------------------


def test_numbers_are_what_rust_has_them_for() -> None:
    """Other dtypes than Triton's own are stated by the caller; an f32 is rounded where that shows."""
    items = "fn grown(a: f64, b: i64, c: f32, d: i32) -> f64 { a * 2.0 + (b + d as i64) as f64 + (c * c) as f64 }\n"
    text = module(items + kernel("let y = grown(0.1, 5, a, n);"))
    assert function(text, "k") == (
        "y = grown(tl.full([], 0.1, tl.float64), tl.full([], 5, tl.int64), a, n)"
    )
    assert function(text, "grown").splitlines()[1] == "c = tl.cast(c, tl.float32)"


def test_a_scalar_beside_a_tile_is_taken_as_it_comes() -> None:
    items = "fn scaled<T: Triton>(x: T::Tensor<f32>, by: f32) -> T::Tensor<f32> { x * by }\n"
    text = module(items + kernel("let y = scaled(T::zeros::<f32>(&[BLOCK]), a);"))
    assert function(text, "scaled") == "return x * by"
    assert function(text, "k") == "y = scaled(tl.zeros([BLOCK], tl.float32), a)"


def test_several_values_are_returned() -> None:
    items = "fn both<T: Triton, D: Num>(x: T::Tensor<D>, n: i32) -> (T::Tensor<D>, i32) { (x + x, n + 1) }\n"
    text = module(items + kernel(LOAD + "let (y, m) = both(x, n);\nlet z = both(y, m).0;"))
    assert function(text, "both") == "return x + x, n + 1"
    assert function(text, "k").splitlines()[-2:] == ["y, m = both(x, n)", "z = both(y, m)[0]"]


# --- Returns --------------------------------------------------------------------------------------


def test_a_return_in_an_arm_moves_the_rest_into_the_other() -> None:
    items = (
        "fn f<T: Triton, D: Float>(x: T::Tensor<D>, n: i32) -> T::Tensor<D> {\n"
        "    // nothing to do\n    if n < 1 { return x; }\n    // twice\n    let y = x + x;\n    y * y\n}\n"
    )
    assert called(items, LOAD + store("f(x, n)"), name="f") == lines(
        """
        # nothing to do
        if n < 1:
            result = x
        else:
            # twice
            y = x + x
            result = y * y
        return result
        """
    )


def test_a_return_in_a_loop_stops_it() -> None:
    items = (
        "fn f<T: Triton, D: Float>(x: T::Tensor<D>, n: i32) -> T::Tensor<D> {\n"
        "    let mut y = x;\n"
        "    for i in 0..n {\n        if i > 9 { return x; }\n        y = y + x;\n    }\n    y\n}\n"
    )
    assert called(items, LOAD + store("f(x, n)"), name="f") == lines(
        """
        result = tl.zeros_like(x)
        running = True
        y = x
        i = 0
        while running and i < n:
            if i > 9:
                result = x
                running = False
            else:
                y = y + x
            i += 1
        if running:
            result = y
        return result
        """
    )


def test_what_a_loop_returns_may_have_a_shape_of_the_functions_own() -> None:
    items = (
        "fn f<T: Triton, const N: i32>(n: i32) -> T::Tensor<f32> {\n"
        "    for i in 0..n { if i > 9 { return T::full::<f32>(&[N, 4], 1.0); } }\n"
        "    T::zeros::<f32>(&[N, 4])\n}\n"
    )
    text = called(items, "let y = f::<T, BLOCK>(n);", name="f")
    assert text.splitlines()[0] == "result = tl.zeros([N, 4], tl.float32)"


def test_a_function_for_its_effect_returns_nothing() -> None:
    items = (
        "fn put<T: Triton, D: Num>(p: T::Pointer<D>, at: T::I32Tensor, x: T::Tensor<D>, n: i32) {\n"
        "    if n < 1 { return; }\n"
        "    T::store(p.add_offsets(at), x, None, &[], None, None)\n}\n"
    )
    text = module(items + kernel(LOAD + "put(y_ptr, offsets, x, n);\nput(x_ptr, offsets, x, 3);"))
    assert function(text, "put") == "if n >= 1:\n    tl.store(p + at, x)"
    assert function(text, "k").splitlines()[-2:] == [
        "put(y_ptr, offsets, x, n)",
        "put(x_ptr, offsets, x, 3)",
    ]


# --- Calls that touch memory ----------------------------------------------------------------------

TOUCHING = (
    "fn bump<T: Triton>(p: T::Pointer<i32>, q: T::Pointer<i32>) -> i32 {\n"
    "    T::atomic_add(p.add_offsets(T::arange(0, 1)), T::full::<i32>(&[1], 1), None, None, None);\n"
    "    T::load_scalar_f32_as_i32(seen, 0) + mark(q)\n}\n"
).replace("seen", "q2").replace(
    "q: T::Pointer<i32>)", "q: T::Pointer<i32>, q2: T::Pointer<f32>)"
) + (
    "fn mark<T: Triton>(r: T::Pointer<i32>) -> i32 {\n"
    "    T::store(r.add_offsets(T::arange(0, 1)), T::full::<i32>(&[1], 1), None, &[], None, None);\n"
    "    T::program_id(Axis::Z)\n}\n"
)
POINTERS = "a_ptr: T::Pointer<i32>, b_ptr: T::Pointer<i32>, c_ptr: T::Pointer<f32>, n: i32"


def test_a_kernels_record_counts_what_its_functions_do() -> None:
    rust = TOUCHING + kernel(
        "let i = bump(a_ptr, b_ptr, c_ptr) + T::program_id(Axis::X);",
        generics="T: Triton",
        parameters=POINTERS,
    )
    (plan,) = transpiler.transpile(rust).kernels
    assert plan.facts.grid_axes == (0, 2)
    assert plan.facts.reads == ("c_ptr",)
    assert plan.facts.writes == ("b_ptr",)
    assert plan.facts.atomics == ("a_ptr",)


def test_a_call_that_touches_memory_is_made_only_where_rust_makes_it() -> None:
    body = "let mut i = 0;\nif n > 3 && bump(a_ptr, b_ptr, c_ptr) > 0 { i = 1; }\nlet j = i;"
    rest = {"generics": "T: Triton", "parameters": POINTERS}
    assert function(module(TOUCHING + kernel(body, **rest)), "k") == lines(
        """
        i = 0
        if n > 3:
            value = bump(a_ptr, b_ptr, c_ptr) > 0
        else:
            value = False
        if value:
            i = 1
        j = i
        """
    )


def test_a_loop_with_a_call_as_its_bound_stays_one() -> None:
    body = "let mut i = 0;\nwhile i < bump(a_ptr, b_ptr, c_ptr) { i += 1; }"
    rest = {"generics": "T: Triton", "parameters": POINTERS}
    text = function(module(TOUCHING + kernel(body, **rest)), "k")
    assert text == "i = 0\nwhile i < bump(a_ptr, b_ptr, c_ptr):\n    i += 1"


def test_a_descriptor_is_given_to_no_function() -> None:
    items = (
        "fn tile<T: Triton>(p: T::Pointer<f32>, rows: i32, n: i32) -> T::Pointer<f32> {\n"
        "    T::make_tensor_descriptor(p, &[rows, n], &[n, 1], &[16, 16], None)\n}\n"
        "fn part<T: Triton>(of: T::Pointer<f32>, i: i32) -> T::Tensor<f32> {\n"
        "    if i < 0 { return T::zeros::<f32>(&[16, 16]); }\n"
        "    T::load_tensor_descriptor(of, &[i, 0])\n}\n"
    )
    body = "let a = tile(c_ptr, n, 64);\nlet x = part(a, n);"
    text = module(items + kernel(body, generics="T: Triton", parameters=POINTERS))
    assert "def tile" not in text
    assert "def part" not in text
    assert function(text, "k") == lines(
        """
        if n < 0:
            result = tl.zeros([16, 16], tl.float32)
        else:
            result = _load_tile(c_ptr, [n, 64], [64, 1], [n, 0], [16, 16])
        x = result
        """
    )


# --- The rest -------------------------------------------------------------------------------------


def test_a_function_may_stand_in_a_body() -> None:
    inside = (
        "/// Half of it.\nfn half(n: i32) -> i32 { n / 2 }\n"
        "mod more { pub fn twice(n: i32) -> i32 { n * 2 } }\n"
        "let y = half(n) + more::twice(m);\n"
    )
    text = module(kernel(inside))
    assert function(text, "half").splitlines()[0] == '"""Half of it."""'
    assert function(text, "k") == "y = half(n) + twice(m)"


def test_a_function_is_checked_by_its_own_bounds() -> None:
    rust = "fn f<T: Triton, D: Num>(x: T::Tensor<D>) -> T::Tensor<D> { T::exp(x) }\n" + kernel(
        LOAD + store("f(x)")
    )
    assert [found.code for found in transpiler.check(rust)] == ["E0504"]


def test_a_fault_of_a_function_is_told_once() -> None:
    rust = (
        "fn f<T: Triton, D: Num>(x: T::Tensor<D>) -> T::Tensor<D> { x + missing }\n"
        + kernel(LOAD + "let y = f(x);\nlet z = f(T::zeros::<i32>(&[4]));\n" + store("y"))
        + kernel(LOAD + store("f(x)"), name="l")
    )
    assert [found.code for found in transpiler.check(rust)] == ["E0201"]


def test_a_function_nobody_calls_is_not_looked_at() -> None:
    rust = "fn f(x: i32) -> i32 { x + missing }\n" + kernel("let y = n;")
    assert "def f(" not in module(rust)


def test_the_dump_shows_functions_first() -> None:
    result = transpiler.transpile(SQUARE + kernel(LOAD + store("square(x)")))
    assert result.module is not None
    text = transpiler.ir.dump.dump_module(result.module)
    assert text.startswith("function square<D: Num>(\n  x: D[BLOCK],\n) -> D[BLOCK] {\n")
    assert "call square<D>(x)" in text


def test_combining_functions_are_given_by_name() -> None:
    items = (
        "fn add<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> { a + b }\n"
    )
    body = LOAD + (
        "let total = T::reduce(x, 0, add::<T, D>, true);\n"
        "let upto = T::associative_scan(x, 0, add::<T, _>, true);\n"
        "let both = add(total, upto);\n"
        "let wide = T::reduce::<i32, i64>(offsets, 0, add::<T, i64>, false);\n"
    )
    text = module(items + kernel(body))
    assert text.count("def add") == 1
    assert function(text, "add") == "return a + b"
    assert function(text, "k").splitlines()[-4:] == [
        "total = tl.reduce(x, 0, add, keep_dims=True)",
        "upto = tl.associative_scan(x, 0, add, reverse=True)",
        "both = add(total, upto)",
        "wide = tl.reduce(offsets.to(tl.int64), 0, add)",
    ]


def test_a_combining_function_reads_the_dtype_of_scalars_too() -> None:
    items = "fn more<D: Float>(a: D, b: D) -> D { a + b * D::from_f64(0.1) }\n"
    text = called(items, LOAD + "let total = T::reduce(x, 0, more::<D>, true);", name="more")
    assert text == "return a + b * 0.1"


def test_dumped_calls_have_types() -> None:
    assert "let y: i32 = call half(n)" in dumped(
        "fn half(n: i32) -> i32 { n / 2 }\nlet y = half(n);"
    )


def test_a_division_is_plain_where_no_call_gives_it_a_negative_number() -> None:
    items = "fn place(i: i32, width: i32) -> (i32, i32) { (i / width, i % width) }\n"
    plain = called(items, "let (a, b) = place(n, 16);\nlet c = place(m + 1, 4);", name="place")
    assert plain == "return i // width, i % width"
    other = called(items, "let (a, b) = place(n, 16);\nlet c = place(m, -4);", name="place")
    assert other == "return tl.cast(i, tl.int32) // width, tl.cast(i, tl.int32) % width"


def test_a_value_nobody_wants_is_computed_for_its_effect() -> None:
    items = TOUCHING.replace("fn bump", "fn count")
    body = (
        "let _ = match n { 0 => count(a_ptr, b_ptr, c_ptr), _ => {\n"
        "    if n > 5 { return; }\n    count(a_ptr, b_ptr, c_ptr)\n} };\n"
    )
    text = function(module(items + kernel(body, generics="T: Triton", parameters=POINTERS)), "k")
    assert text == lines(
        """
        if n == 0:
            count(a_ptr, b_ptr, c_ptr)
        else:
            if n > 5:
                return
            count(a_ptr, b_ptr, c_ptr)
        """
    )
