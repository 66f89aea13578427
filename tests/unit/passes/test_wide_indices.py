"""The forms of kernels with offsets in 64 bits."""

from __future__ import annotations

import re
import textwrap

import pytest

import transpiler
from tests.unit.passes.kernels import GENERICS, PARAMETERS, function, kernel, module

LANES = "let lanes = T::arange(0, BLOCK);\n"
_INTEGERS = "i_ptr: T::Pointer<i32>, n: i32, m: i32"
_DTYPE_READ = re.compile(r"D: tl\.constexpr = \(.*?\n\)\n*", re.DOTALL)


def store(offsets: str) -> str:
    return (
        f"T::store(y_ptr.add_offsets({offsets}), T::zeros::<D>(&[BLOCK]), None, &[], None, None);\n"
    )


def form(body: str, items: str = "", parameters: str = PARAMETERS, generics: str = GENERICS) -> str:
    """The statements of the form, without what stands above those of the Rust but for comments and arguments."""
    text = module(items + kernel(body, parameters=parameters, generics=generics))
    lines = function(text, "k__index64").split("\n", 1)
    assert lines[0] == (
        '"""The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""'
    )
    return _DTYPE_READ.sub("", lines[1])


def record(text: str) -> str:
    found = re.search(r"^        index64=(\w+),$", text, re.MULTILINE)
    assert found is not None
    return found[1]


def test_arguments_program_ids_and_lanes_are_widened_where_they_come_in() -> None:
    body = (
        LANES
        + "let row = T::program_id(Axis::X);\n"
        + "let offsets = lanes + row * n;\n"
        + store("offsets")
    )
    assert form(body) == textwrap.dedent("""\
        # Arguments that offsets depend on in 64 bits, whatever the caller passed.
        n = tl.cast(n, tl.int64)

        lanes = tl.arange(0, BLOCK).to(tl.int64)
        row = tl.cast(tl.program_id(0), tl.int64)
        offsets = lanes + row * n
        tl.store(y_ptr + offsets, tl.zeros([BLOCK], D))""")


def test_the_form_stands_below_its_kernel_and_is_exported_and_recorded() -> None:
    text = module(kernel(LANES + store("lanes + n * m")) + kernel("let y = 1;", name="l"))
    assert re.findall(r"^def (\w+)\(", text, re.MULTILINE)[1:4] == ["k", "k__index64", "l"]
    assert '    "k__index64",\n' in text
    assert "        function=k,\n        index64=k__index64,\n" in text
    assert "        function=l,\n        index64=l,\n" in text


def test_specialisations_have_no_form() -> None:
    text = module(kernel(LANES + store("lanes + n * m")))
    assert "k__f32__128" in text
    assert "index64__" not in text
    assert text.count("k__index64") == 3  # exported, defined, recorded


def test_the_form_has_the_parameters_of_its_kernel() -> None:
    text = module(kernel(LANES + store("lanes + n * m")))
    heads = re.findall(r"^def k(?:__index64)?\((.*?)\):", text, re.MULTILINE | re.DOTALL)
    assert heads[0] == heads[1]


@pytest.mark.parametrize(
    "offsets", ["lanes", "lanes + 3", "lanes + BLOCK * 2", "lanes * 4 * BLOCK"]
)
def test_offsets_that_never_leave_32_bits_need_no_form(offsets: str) -> None:
    text = module(kernel(store(offsets.replace("lanes", "T::arange(0, BLOCK)"))))
    assert record(text) == "k"
    assert "def k__index64" not in text


def test_a_program_id_alone_needs_no_form() -> None:
    at = "T::arange(0, 1) + T::program_id(Axis::X)"
    body = f"T::store(y_ptr.add_offsets({at}), T::zeros::<D>(&[1]), None, &[], None, None);\n"
    assert record(module(kernel(body))) == "k"


@pytest.mark.parametrize("cut", ["(n as u32 / 3) as i32", "(n as i64 * m as i64) as i32"])
def test_offsets_that_the_rust_cuts_to_32_bits_have_none(cut: str) -> None:
    """They are wrong beyond, whatever they are computed in."""
    body = LANES + f"let at = {cut};\n" + store("lanes + at * m")
    assert record(module(kernel(body))) == "None"


@pytest.mark.parametrize(
    ("offsets", "python"),
    [
        (
            "lanes + T::program_id(Axis::X) * BLOCK",
            "lanes + tl.cast(tl.program_id(0), tl.int64) * BLOCK",
        ),
        ("lanes + (-n) * m", "lanes + -n * m"),
        ("lanes + n / m % 7", "lanes + (n // m) % 7"),
        ("lanes + (n << 3) + (n >> (m & 7))", "lanes + (n << 3) + (n >> (m & 7 & 31))"),
        ("lanes + !n * m", "lanes + ~n * m"),
        ("lanes + (n & 7 | m ^ 3)", "lanes + (n & 7 | m ^ 3)"),
        ("lanes + n.max(3)", "lanes + tl.maximum(n, 3)"),
        ("lanes + n.rem_euclid(7)", "lanes + _rem_euclid(n, 7, tl.int64)"),
        ("lanes + T::cdiv(n, BLOCK) * m", "lanes + tl.cdiv(n, BLOCK) * m"),
        (
            "lanes + T::full::<i32>(&[BLOCK], n) * T::zeros::<i32>(&[BLOCK])",
            "lanes + tl.full([BLOCK], n, tl.int64) * tl.zeros([BLOCK], tl.int64)",
        ),
        (
            "T::where_(T::lt_scalar(lanes, n), lanes, T::maximum(lanes, lanes * m))",
            "tl.where(lanes < n, lanes, tl.maximum(lanes, lanes * m))",
        ),
        ("T::cumsum(lanes * n, 0, false)", "tl.cumsum(lanes * n, 0)"),
        (
            "T::ravel(T::expand_dims(lanes, 0), false) + n",
            "tl.ravel(lanes[None, :]) + n",
        ),
    ],
)
def test_arithmetic_stays_as_it_is(offsets: str, python: str) -> None:
    text = form(LANES + f"let at = {offsets};\n" + store("at"))
    assert f"\nat = {python}\n" in text
    assert "lanes = tl.arange(0, BLOCK).to(tl.int64)\n" in text


def test_what_bounds_a_mask_or_a_loop_is_as_wide_as_what_it_bounds() -> None:
    body = (
        "for first in 0..n {\n"
        "    let at = T::arange(0, BLOCK) + first * BLOCK;\n"
        "    T::store(y_ptr.add_offsets(at), T::zeros::<D>(&[BLOCK]), Some(at.lt(m)), &[], None, None);\n"
        "}\n"
    )
    text = form(body)
    assert "n = tl.cast(n, tl.int64)\nm = tl.cast(m, tl.int64)\n" in text
    assert "for first in range(n):\n    at = tl.arange(0, BLOCK) + first * BLOCK\n" in text
    assert "mask=at < m" in text


def test_a_loop_over_constants_counts_in_32_bits() -> None:
    body = (
        LANES
        + f"for i in 0..4 {{ for j in 0..4 {{ {store('lanes + i * j * 1000000 + n * m')} }} }}"
    )
    text = form(body)
    assert "for i in range(4):\n    for j in range(4):\n" in text
    assert "lanes + tl.cast(i, tl.int64) * j * 1000000 + n * m" in text


def test_variables_have_one_width_from_the_beginning() -> None:
    body = (
        LANES
        + "let mut at = 0;\nlet mut left = n;\n"
        + "while left > m { at += left; left = left / 2; }\n"
        + store("lanes + at")
    )
    text = form(body)
    assert "at = tl.full([], 0, tl.int64)\nleft = n\nwhile left > m:\n" in text
    assert "n = tl.cast(n, tl.int64)\nm = tl.cast(m, tl.int64)\n" in text


def test_both_values_of_a_choice_are_as_wide() -> None:
    body = LANES + "let at = if n > 3 { n } else { 0 };\n" + store("lanes + at * m")
    assert "at = n if n > 3 else tl.full([], 0, tl.int64)\n" in form(body)


def test_elements_of_tuples_have_a_width_each() -> None:
    body = (
        LANES
        + "let both = (n * m, T::program_id(Axis::X));\n"
        + store("lanes + both.0")
        + "T::store(i_ptr.add_offsets(lanes), T::full::<i32>(&[BLOCK], both.1), None, &[], None, None);"
    )
    text = form(body, parameters=f"{PARAMETERS}, i_ptr: T::Pointer<i32>")
    assert "both = n * m, tl.program_id(0)\n" in text
    assert "tl.full([BLOCK], both[1], tl.int32)" in text


def test_counts_made_of_indices_are_as_wide() -> None:
    body = (
        LANES
        + "let share = 1.0 / (n as f32);\n"
        + (
            "T::store(y_ptr.add_offsets(lanes + n * m), T::full::<D>(&[BLOCK], D::from_f64(share as f64)), "
            "None, &[], None, None);"
        )
    )
    text = form(body)
    assert "n = tl.cast(n, tl.int64)" in text
    assert "tl.cast(n, tl.float32)" in text


LOADED = (
    LANES
    + "let found = T::load(i_ptr.add_offsets(lanes), None, None, &[], None, None, None, false);\n"
)


def keep(value: str, offsets: str = "lanes + n * m") -> str:
    return f"T::store(i_ptr.add_offsets({offsets}), {value}, None, &[], None, None);\n"


@pytest.mark.parametrize(
    ("body", "python"),
    [
        (keep("found * 3 + lanes"), "found * 3 + lanes.to(tl.int32)"),
        (keep("lanes * 2"), "(lanes * 2).to(tl.int32)"),
        ("let kept = found + lanes;\n" + keep("kept / 2"), "kept = found + lanes.to(tl.int32)\n"),
    ],
)
def test_data_keeps_its_width(body: str, python: str) -> None:
    """It wraps around at 32 bits, as what is stored does."""
    text = form(LOADED + body, parameters=_INTEGERS, generics="T: Triton, const BLOCK: i32")
    assert python in text
    assert "found = tl.load(i_ptr + lanes)\n" in text


def test_loaded_indices_are_widened_where_they_are_loaded() -> None:
    body = LOADED + keep("lanes", "found * n")
    text = form(body, parameters=_INTEGERS, generics="T: Triton, const BLOCK: i32")
    assert "found = tl.load(i_ptr + lanes).to(tl.int64)\n" in text


def test_operations_that_want_32_bits_get_them() -> None:
    body = LANES + "let z = T::rand(7, lanes, 10);\n" + store("lanes + n * m")
    assert "z = tl.rand(7, lanes.to(tl.int32), 10)\n" in form(body)


def test_an_argument_that_is_no_index_keeps_its_dtype() -> None:
    body = (
        LANES
        + "let y = T::full::<D>(&[BLOCK], D::from_f64(a as f64 * 0.5));\n"
        + "T::store(y_ptr.add_offsets(lanes + n), y, None, &[], None, None);\n"
        + "T::store(i_ptr.add_offsets(lanes), T::full::<i32>(&[BLOCK], m), None, &[], None, None);\n"
    )
    text = form(body, parameters=f"{PARAMETERS}, i_ptr: T::Pointer<i32>")
    assert text.startswith(
        "# Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them.\n"
        "n = tl.cast(n, tl.int64)\na = tl.cast(a, tl.float32)\n\n"
    )
    assert "tl.full([BLOCK], m, tl.int32)" in text


def test_names_are_not_shared_by_values_of_different_width() -> None:
    """In the kernel both are i32, and Triton would carry the first around the loop."""
    loaded = LOADED.replace(LANES, "").replace("found", "v")
    body = (
        LANES
        + f"if n > 3 {{\n{loaded}{keep('v', 'lanes')}}}\n"
        + f"for i in 0..n {{\nlet v = lanes * m;\n{keep('lanes', 'v + i')}}}\n"
    )
    rust = kernel(body, parameters=_INTEGERS, generics="T: Triton, const BLOCK: i32")
    text = module(rust)
    assert "    v = lanes * m\n" in function(text, "k")
    assert "    v_1 = lanes * m\n" in function(text, "k__index64")


def test_descriptors_get_wide_places() -> None:
    place = "&[T::program_id(Axis::X) * BLOCK, 0]"
    made = "T::make_tensor_descriptor({}, &[n, m], &[m, 1], &[BLOCK, BLOCK], None)"
    body = (
        f"let from = {made.format('x_ptr')};\nlet to = {made.format('y_ptr')};\n"
        f"T::store_tensor_descriptor(to, {place}, T::load_tensor_descriptor(from, {place}));\n"
    )
    text = form(body)
    assert "n = tl.cast(n, tl.int64)\nm = tl.cast(m, tl.int64)\n" in text
    assert "x_ptr, [n, m], [m, 1], [tl.cast(tl.program_id(0), tl.int64) * BLOCK, 0]" in text


# --- Functions ------------------------------------------------------------------------------------


def test_a_function_whose_text_does_is_there_once() -> None:
    items = "fn half(n: i32) -> i32 { n / 2 }\n"
    text = module(items + kernel(LANES + store("lanes + half(n) * m")))
    assert "def half__index64" not in text
    assert "lanes + half(n) * m" in function(text, "k__index64")


def test_a_function_with_leaves_of_its_own_has_a_form() -> None:
    items = (
        "fn start<T: Triton, const B: i32>(n: i32) -> i32 { place::<T>() * n * B }\n"
        "fn place<T: Triton>() -> i32 { T::program_id(Axis::X) }\n"
    )
    text = module(items + kernel(LANES + store("lanes + start::<T, BLOCK>(n)")))
    assert re.findall(r"^def (\w+)\(", text, re.MULTILINE)[1:7] == [
        "place",
        "start",
        "place__index64",
        "start__index64",
        "k",
        "k__index64",
    ]
    assert function(text, "place__index64").endswith("return tl.cast(tl.program_id(0), tl.int64)")
    assert "return place__index64() * n * B" in function(text, "start__index64")
    assert "return place() * n * B" in function(text, "start")
    assert "lanes + start__index64(n, BLOCK)" in function(text, "k__index64")


def test_arguments_of_functions_are_as_wide_as_they_take_them() -> None:
    items = (
        "fn at<T: Triton>(lanes: T::I32Tensor, n: i32, m: i32) -> T::I32Tensor { lanes + n * m }\n"
    )
    text = module(items + kernel(LANES + store("at::<T>(lanes, n, 3)")))
    assert "at(lanes, n, tl.full([], 3, tl.int64))" in function(text, "k__index64")


def test_functions_that_combine_data_stay_as_they_are() -> None:
    items = "fn add<T: Triton>(a: T::Tensor<i32>, b: T::Tensor<i32>) -> T::Tensor<i32> { a + b }\n"
    body = (
        LOADED
        + "let all = T::reduce(found, 0, add::<T>, false);\n"
        + keep("T::broadcast_to(T::expand_dims(all, 0), &[BLOCK])")
    )
    text = module(
        items + kernel(body, parameters=_INTEGERS, generics="T: Triton, const BLOCK: i32")
    )
    assert "def add__index64" not in text
    assert "all = tl.reduce(found, 0, add)" in function(text, "k__index64").replace("all_", "all")


def test_the_line_map_leads_from_a_form_to_the_same_rust() -> None:
    result = transpiler.transpile(kernel(LANES + store("lanes + n * m")))
    assert result.text is not None
    assert result.line_map is not None
    lines = result.text.split("\n")
    spans = {
        result.line_map.rust_span(number)
        for number, line in enumerate(lines, 1)
        if line.strip().startswith("tl.store(y_ptr + (lanes + n * m)")
    }
    assert len(spans) == 1
    assert None not in spans
