"""Lowering: IR in, Python out; one test for each rule."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.unit.building import PARAMETER, Build, Written
from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, F32, F64, I32, DType, DtypeParameter, TupleType, Type
from transpiler.target.dtypes import dtype_of_arithmetic
from transpiler.target.flat import flat

if TYPE_CHECKING:
    from collections.abc import Iterable


def value(
    build: Build,
    expression: ir.Expression,
    *parameters: ir.Symbol,
    constants: Iterable[ir.Symbol] = (),
    dtype_parameters: tuple[DtypeParameter, ...] = (PARAMETER,),
) -> str:
    """The Python of an expression that reads the parameters."""
    local = build.symbol("result", expression.type)
    text = build.python(
        build.let(local, expression),
        parameters=parameters,
        constants=constants,
        dtype_parameters=dtype_parameters,
    )
    return text.splitlines()[-1].removeprefix("result = ")


# --- Operators -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (DType.I32, "x // y"),
        (DType.U8, "x // y"),
        (DType.F32, "x / y"),
        (DType.F64, "x / y"),
    ],
)
def test_division_follows_the_dtype(build: Build, dtype: DType, text: str) -> None:
    x, y = (build.parameter(name, build.scalar(dtype)) for name in "xy")
    assert value(build, build.binary(x, "/", y), x, y) == text
    assert value(build, build.binary(x, "%", y), x, y) == "x % y"


@pytest.mark.parametrize(
    ("bound", "text"),
    [("Float", "x / y"), ("Int", "x // y"), ("Num", "_divide(x, y, D)")],
)
def test_division_in_a_dtype_parameter(build: Build, bound: str, text: str) -> None:
    dtype = build.dtype("D", bound)
    x, y = (build.parameter(name, build.tile(dtype, "N")) for name in "xy")
    assert value(build, build.binary(x, "/", y), x, y, dtype_parameters=(dtype,)) == text


def test_comparisons_of_masks_keep_their_parentheses(build: Build) -> None:
    tile = build.tile(DType.I32, "N")
    a, n, m = build.parameter("a", tile), build.parameter("n"), build.parameter("m", tile)
    mask = build.binary(
        build.binary(a, "<", n), "&", build.binary(m, ">=", 0), build.tile(DType.BOOL, "N")
    )
    assert value(build, mask, a, n, m) == "(a < n) & (m >= 0)"


def test_logic_of_scalars_is_spelled_out_and_that_of_tiles_is_not(build: Build) -> None:
    a, b = build.parameter("a", BOOL), build.parameter("b", BOOL)
    m = build.parameter("m", build.tile(DType.BOOL, "N"))
    both = build.binary(build.unary("!", a), "&&", build.binary(a, "||", b, BOOL), BOOL)
    assert value(build, both, a, b) == "not a and (a or b)"
    assert value(build, build.unary("!", m), m) == "~m"
    n = build.parameter("n")
    assert value(build, build.unary("!", n), n) == "~n"
    assert value(build, build.unary("-", n), n) == "-n"


def test_an_offset_is_added_to_its_pointer(build: Build) -> None:
    pointer, offsets = build.pointer("x_ptr"), build.parameter("o", build.tile(DType.I32, "N"))
    assert value(build, build.offset(pointer, offsets), pointer, offsets) == "x_ptr + o"


def test_an_if_as_a_value_is_a_conditional_expression(build: Build) -> None:
    a, b = build.parameter("a"), build.parameter("b")
    chain = build.choose(build.binary(a, "<", 0), 0, build.choose(build.binary(a, "<", b), a, b))
    assert value(build, chain, a, b) == "0 if a < 0 else a if a < b else b"


def test_tuples(build: Build) -> None:
    a, b = build.parameter("a"), build.parameter("b")
    pair = TupleType(elements=(I32, I32))
    swapped = ir.TupleValue(span=build.here, type=pair, elements=(build.value(b), build.value(a)))
    first = ir.TupleElement(span=build.here, type=I32, operand=swapped, index=1)
    assert value(build, first, a, b) == "(b, a)[1]"
    p, q = build.symbol("p"), build.symbol("q")
    assert build.python(build.let_tuple((p, q), swapped), parameters=[a, b]) == "p, q = b, a"


# --- Literals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "digits", "type_", "text"),
    [
        (True, None, BOOL, "True"),
        (7, None, I32, "7"),
        (-7, None, I32, "-7"),
        (0.5, "0.5", F32, "0.5"),
        (0.10000000149011612, "0.1", F32, "0.1"),
        (0.10000000149011612, None, F32, "0.1"),
        (0.10000000149011612, None, F64, "0.10000000149011612"),
        (1.1283792257308960, "1.128_379_2".replace("_", ""), F32, "1.1283792"),
        (1.0, "1", F32, "1.0"),
        (1.0, "1.", F32, "1.0"),
        (100000.0, "1E5", F64, "1e5"),
        (1e-12, "1e-12", F64, "1e-12"),
        (9.999999960041972e-13, "1e-12", F32, "1e-12"),
        (1e16, None, F64, "1e16"),
        (3.4028234663852886e38, "3.4028235e38", F32, "3.4028235e38"),
        (0.25, "0.75", F32, "0.25"),
        (-0.0, None, F32, "-0.0"),
        (-2.5, "2.5", F32, "-2.5"),
        (math.inf, None, F32, 'float("inf")'),
        (-math.inf, None, F32, '-float("inf")'),
        (math.nan, None, F32, 'float("nan")'),
    ],
)
def test_literals_keep_the_digits_of_their_author_where_they_are_exact(
    build: Build, number: float, digits: str | None, type_: Type, text: str
) -> None:
    assert value(build, build.literal(number, type_, digits)) == text


# --- Conversions ---------------------------------------------------------------------------------


def test_what_is_loaded_is_widened(build: Build) -> None:
    x, offsets = build.pointer("x_ptr"), build.parameter("o", build.tile(DType.I32, "N"))
    loaded = build.load(build.offset(x, offsets))
    assert value(build, loaded, x, offsets) == "tl.load(x_ptr + o).to(D)"


def test_scalars_may_be_numbers_of_python_and_are_cast_by_a_function(build: Build) -> None:
    n, tile = build.parameter("n"), build.parameter("t", build.tile(DType.I32, "N"))
    assert value(build, build.cast(n, F32), n) == "tl.cast(n, tl.float32)"
    assert value(build, build.cast(build.binary(n, "+", 1), F64), n) == "tl.cast(n + 1, tl.float64)"
    assert value(build, build.cast(tile, build.tile(DType.F32, "N")), tile) == "t.to(tl.float32)"
    shifted = build.cast(build.binary(tile, "+", 1), build.tile(DType.I64, "N"))
    assert value(build, shifted, tile) == "(tile + 1).to(tl.int64)".replace("tile", "t")


def test_floats_become_integers_by_way_of_a_helper(build: Build) -> None:
    e, tile = build.parameter("e", F32), build.parameter("t", build.tile(DType.F64, "N"))
    assert value(build, build.cast(e, I32), e) == "_to_integer(tl.cast(e, tl.float32), tl.int32)"
    small = build.cast(tile, build.tile(DType.U8, "N"))
    assert value(build, small, tile) == "_to_integer(t, tl.uint8)"


def test_constants_are_made_in_their_own_dtype(build: Build) -> None:
    d = build.scalar(build.D)
    third = build.literal(0.044715, F64, "0.044715")
    pointer = build.pointer("x_ptr")
    assert value(build, build.cast(third, d, "from_f64"), pointer) == "tl.full([], 0.044715, D)"
    e = build.parameter("e", F32)
    assert value(build, build.cast(e, d, "from_f64"), pointer, e) == "tl.cast(e, D)"
    assert (
        value(build, build.cast(build.literal(1), I32, "materialise")) == "tl.full([], 1, tl.int32)"
    )
    far = build.unary("-", build.literal(3.4028234663852886e38, F32, "3.4028235e38"))
    assert (
        value(build, build.cast(far, F32, "materialise"))
        == "tl.full([], -3.4028235e38, tl.float32)"
    )
    assert value(build, build.cast(e, F32, "materialise"), e) == "tl.cast(e, tl.float32)"


# --- Operations ----------------------------------------------------------------------------------


def test_arguments_that_are_defaults_are_dropped(build: Build) -> None:
    tile = build.tile(DType.F32, "N")
    x = build.pointer("x_ptr", DType.F32)
    o, m, z = (
        build.parameter("o", build.tile(DType.I32, "N")),
        build.parameter("m", build.tile(DType.BOOL, "N")),
        build.parameter("z", tile),
    )
    pointers = build.offset(x, o)

    def load(*rest: Written) -> ir.OpCall:
        return build.call("load", pointers, *rest, type_=tile, dtypes=[DType.F32])

    assert value(build, load(None, None, [], None, None, None, False), x, o) == "tl.load(x_ptr + o)"
    assert value(build, load(m, z, [], None, None, None, False), x, o, m, z) == (
        "tl.load(x_ptr + o, mask=m, other=z)"
    )
    full = load(m, None, [], "PaddingOption::Zero", "CacheModifier::Cg", None, True)
    assert value(build, full, x, o, m) == (
        'tl.load(x_ptr + o, mask=m, cache_modifier=".cg", volatile=True)'
    )
    plain = load(None, None, [], None, None, "EvictionPolicy::NoEvict", False)
    assert value(build, plain, x, o) == "tl.load(x_ptr + o)"
    assert build.python(
        build.store(pointers, build.value(z), build.value(m)), parameters=[x, o, m, z]
    ) == ("tl.store(x_ptr + o, z, mask=m)")


@pytest.mark.parametrize(
    ("rank", "axes", "text"),
    [
        (1, [0], "x[None, :]"),
        (1, [1], "x[:, None]"),
        (1, [-1], "x[:, None]"),
        (1, [-2], "x[None, :]"),
        (2, [1], "x[:, None, :]"),
        (1, [0, 2], "x[None, :, None]"),
        (1, [1, 0], "x[None, :, None]"),
        # A number may be one of Python's.
        (0, [0], "tl.expand_dims(x, 0)"),
    ],
)
def test_dimensions_are_put_in_by_an_index(
    build: Build, rank: int, axes: list[int], text: str
) -> None:
    x = build.parameter("x", build.tile(DType.F32, *[4] * rank))
    result = build.value(x)
    for axis in axes:
        rank += 1
        type_ = build.tile(DType.F32, *[4] * rank)
        place = build.literal(abs(axis))
        result = build.call(
            "expand_dims",
            result,
            place if axis >= 0 else build.unary("-", place),
            type_=type_,
            dtypes=[DType.F32],
        )
    assert value(build, result, x) == text


def test_lists_enums_and_dtypes_in_operations(build: Build) -> None:
    size = build.const("SIZE")
    tile = build.tile(build.D, "SIZE", 1)
    x = build.pointer("x_ptr")
    zeros = build.call("zeros", [size, 1], type_=tile, dtypes=[build.D])
    assert value(build, zeros, x, constants=[size]) == "tl.zeros([SIZE, 1], D)"
    assert value(build, build.call("program_id", "Axis::Y", type_=I32)) == "tl.program_id(1)"
    t = build.parameter("t", tile)
    total = build.call("sum", t, None, True, type_=build.tile(build.D, 1), dtypes=[build.D])
    assert value(build, total, t) == "tl.sum(t, keep_dims=True)"
    first = build.call("sum", t, build.literal(0), False, type_=tile, dtypes=[build.D])
    assert value(build, first, t) == "tl.sum(t, axis=0)"


# --- Statements ----------------------------------------------------------------------------------


def test_assignments_keep_the_form_of_the_rust(build: Build) -> None:
    acc, n = build.symbol("acc", mutable=True), build.parameter("n")
    text = build.python(
        build.let(acc, 0),
        build.assign(acc, n, "+"),
        build.assign(acc, n, "/"),
        build.assign(acc, build.binary(acc, "-", n)),
        parameters=[n],
    )
    assert text == "acc = 0\nacc += n\nacc //= n\nacc = acc - n"


def test_a_compound_division_in_a_number_of_either_kind_calls_the_helper(build: Build) -> None:
    dtype = build.dtype("D", "Num")
    tile = build.tile(dtype, "N")
    acc, x = build.symbol("acc", tile, mutable=True), build.parameter("x", tile)
    text = build.python(
        build.let(acc, x), build.assign(acc, x, "/"), parameters=[x], dtype_parameters=(dtype,)
    )
    assert text.splitlines()[-1] == "acc = _divide(acc, x, D)"


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ((0, "n", 1), "range(n)"),
        ((2, "n", 1), "range(2, n)"),
        ((0, "n", 4), "range(0, n, 4)"),
        ((0, "n", "SIZE"), "range(0, n, SIZE)"),
    ],
)
def test_ranges(build: Build, bounds: tuple[int | str, ...], text: str) -> None:
    symbols = {"n": build.parameter("n"), "SIZE": build.const("SIZE")}
    start, stop, step = (symbols[bound] if isinstance(bound, str) else bound for bound in bounds)
    i, last = build.symbol("i"), build.symbol("last", mutable=True)
    loop = build.for_(i, start, stop, step, build.assign(last, i))
    found = build.python(
        build.let(last, 0), loop, parameters=[symbols["n"]], constants=[symbols["SIZE"]]
    )
    assert found == f"last = 0\nfor i in {text}:\n    last = i"


def test_control_flow(build: Build) -> None:
    n, x = build.parameter("n"), build.symbol("x")
    text = build.python(
        build.if_(build.binary(n, ">=", 9), [build.return_()]),
        build.declare(x, build.layout(["Where it starts."], "or not", blank=True)),
        build.if_(build.binary(n, "<", 3), [build.assign(x, 1)], [build.assign(x, 2)]),
        build.while_(build.binary(x, "<", n), layout=build.layout(blank=True)),
        parameters=[n],
        closing=["Done."],
    )
    assert text == (
        "if n >= 9:\n"
        "    return\n"
        "\n"
        "# Where it starts.\n"
        "# or not\n"
        "if n < 3:\n"
        "    x = 1\n"
        "else:\n"
        "    x = 2\n"
        "\n"
        "while x < n:\n"
        "    pass\n"
        "# Done."
    )


def test_an_empty_kernel_passes(build: Build) -> None:
    assert build.python() == "pass"


# --- Constants -----------------------------------------------------------------------------------


def test_a_value_that_must_be_known_at_compile_time_is_a_constexpr(build: Build) -> None:
    size, tile = build.const("SIZE"), build.tile(DType.I32, "SIZE")
    half, double, bound = build.symbol("half"), build.symbol("double"), build.symbol("bound")
    lanes, n = build.symbol("lanes", tile), build.parameter("n")
    text = build.python(
        build.let(half, build.binary(size, "/", 2)),
        build.let(double, build.cast(build.binary(half, "*", 4), I32, "materialise")),
        build.let(bound, build.binary(size, "*", 3)),
        build.let(lanes, build.call("arange", 0, double, type_=tile)),
        build.while_(build.binary(n, "<", bound)),
        parameters=[n],
        constants=[size],
    )
    assert text == (
        "half: tl.constexpr = SIZE // 2\n"
        "double: tl.constexpr = half * 4\n"
        "bound = SIZE * 3\n"
        "lanes = tl.arange(0, double)\n"
        "while n < bound:\n"
        "    pass"
    )


def test_a_condition_that_is_constant_stays_one(build: Build) -> None:
    flag, n = build.const("FLAG", BOOL), build.parameter("n")
    fast, slow = build.symbol("fast", BOOL), build.symbol("slow", BOOL)
    text = build.python(
        build.let(fast, build.unary("!", flag)),
        build.let(slow, build.binary(n, "<", 1)),
        build.if_(build.binary(fast, "&&", slow, BOOL), [build.return_()]),
        parameters=[n],
        constants=[flag],
    )
    assert text == ("fast: tl.constexpr = not FLAG\nslow = n < 1\nif fast and slow:\n    return")


def test_a_condition_that_triton_converts_is_a_value_at_run_time(build: Build) -> None:
    size = build.const("SIZE")
    wide = build.symbol("wide", build.scalar(DType.I64))
    same = build.symbol("same", build.scalar(DType.I64))
    text = build.python(
        build.let(wide, build.cast(size, wide.type)),
        build.let(same, wide),
        build.if_(build.binary(same, "==", 3), [build.return_()]),
        constants=[size],
    )
    assert text == "wide = tl.cast(SIZE, tl.int64)\nsame = wide\nif same == 3:\n    return"


def test_a_variable_is_never_a_constexpr(build: Build) -> None:
    size, tile = build.const("SIZE"), build.tile(DType.I32, "SIZE")
    extent = build.symbol("extent", mutable=True)
    text = build.python(
        build.let(extent, size),
        build.let(build.symbol("lanes", tile), build.call("arange", 0, extent, type_=tile)),
        constants=[size],
    )
    assert text.splitlines()[0] == "extent = SIZE"


# --- Dtype parameters ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (
            "Float",
            "p.dtype.element_ty if p.dtype.element_ty.primitive_bitwidth > 16 else tl.float32",
        ),
        (
            "Num",
            (
                "tl.float32"
                " if p.dtype.element_ty == tl.float16 or p.dtype.element_ty == tl.bfloat16"
                " else p.dtype.element_ty"
            ),
        ),
        ("Int", "p.dtype.element_ty"),
        ("Bool", "p.dtype.element_ty"),
    ],
)
def test_the_dtype_of_arithmetic_is_read_off_the_first_pointer(
    build: Build, bound: str, text: str
) -> None:
    dtype = build.dtype("D", bound)
    assert flat(dtype_of_arithmetic(dtype, build.pointer("p", dtype), "p")) == text
    other, p, q = (
        build.pointer("o", DType.I32),
        build.pointer("p", dtype),
        build.pointer("q", dtype),
    )
    zeros = build.call("zeros", [4], type_=build.tile(dtype, 4), dtypes=[dtype])
    use = build.let(build.symbol("z", zeros.type), zeros, build.layout(["Start."]))
    found = build.python(use, parameters=[other, p, q], dtype_parameters=(dtype,))
    assert found.startswith("D: tl.constexpr = ")
    assert "".join(found.split()).startswith("".join(f"D: tl.constexpr = ({text}".split())) or (
        found.startswith(f"D: tl.constexpr = {text}")
    )
    assert found.endswith("\n\n# Start.\nz = tl.zeros([4], D)")


def test_a_dtype_nobody_uses_is_not_read(build: Build) -> None:
    p = build.pointer("p")
    assert build.python(build.return_(), parameters=[p]) == "return"


def test_what_the_passes_put_before_it_is_parted_from_the_body(build: Build) -> None:
    e = build.parameter("e", F32)
    rounded = ir.Assign(span=e.span, symbol=e, value=build.cast(e, F32, "materialise"))
    first = build.let(build.symbol("x"), 1, build.layout(["Start."]))
    assert build.python(rounded, first, parameters=[e]) == (
        "e = tl.cast(e, tl.float32)\n\n# Start.\nx = 1"
    )
    plain = build.let(build.symbol("x"), 1)
    assert build.python(rounded, plain, parameters=[e]) == "e = tl.cast(e, tl.float32)\n\nx = 1"
