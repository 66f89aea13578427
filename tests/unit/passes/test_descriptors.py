"""Descriptors and block pointers become pointers and masks; what a launcher is told stays exact."""

from __future__ import annotations

import pytest

import transpiler
from tests.unit.passes.kernels import codes, kernel, translated

GENERICS = "T: Triton, D: Float, const BLOCK: i32, const TURNED: bool"
PARAMETERS = "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, i_ptr: T::Pointer<i32>, n: i32, m: i32"


def described(pointer: str, strides: str = "m, 1") -> str:
    return f"T::make_tensor_descriptor({pointer}, &[n, m], &[{strides}], &[BLOCK, 16], None)"


def statements(body: str) -> list[str]:
    return translated(body, generics=GENERICS, parameters=PARAMETERS).splitlines()


def facts(body: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What the kernel reads, writes and updates atomically."""
    result = transpiler.transpile(kernel(body, generics=GENERICS, parameters=PARAMETERS))
    assert result.text is not None, [found.message for found in result.diagnostics]
    (found,) = result.kernels
    return found.facts.reads, found.facts.writes, found.facts.atomics


def test_names_and_literals_need_no_variables() -> None:
    assert statements(
        f"let x = {described('x_ptr')};\n"
        "let t = T::load_tensor_descriptor(x, &[n, 0]);\n"
        f"T::store_tensor_descriptor({described('y_ptr', '1, m')}, &[0, n], t);"
    ) == [
        "t = _load_tile(x_ptr, [n, m], [m, 1], [n, 0], [BLOCK, 16])",
        "_store_tile(y_ptr, [n, m], [1, m], [0, n], [BLOCK, 16], t)",
    ]


def test_a_moved_block_pointer_has_variables_for_its_offsets_alone() -> None:
    lines = statements(
        "let mut q = T::make_block_ptr(x_ptr, &[n, m], &[m, 1], &[0, 0], &[BLOCK, 16], &[1, 0]);\n"
        "for i in 0..n {\n"
        "    // Onwards.\n"
        "    T::store(q, T::zeros::<D>(&[BLOCK, 16]), None, &[1], None, None);\n"
        "    q = T::advance(q, &[0, 16]);\n"
        "}"
    )
    assert lines[:4] == [
        "q_offset_0 = 0",
        "q_offset_1 = 0",
        "for i in range(n):",
        "    # Onwards.",
    ]
    assert lines[-1] == "    q_offset_1 = q_offset_1 + 16"
    assert "checked=2" in "".join(lines), "axis 1 is checked, axis 0 is not"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            (
                f"let (a, b) = ({described('x_ptr')}, {described('y_ptr')});\n"
                "T::store_tensor_descriptor(b, &[0, 0], T::load_tensor_descriptor(a, &[0, 0]));"
            ),
            (("x_ptr",), ("y_ptr",), ()),
        ),
        (
            (
                f"let (a, b) = if TURNED {{ ({described('x_ptr')}, {described('y_ptr')}) }} "
                f"else {{ ({described('x_ptr', '1, n')}, {described('y_ptr')}) }};\n"
                "T::store_tensor_descriptor(b, &[0, 0], T::load_tensor_descriptor(a, &[0, 0]));"
            ),
            (("x_ptr",), ("y_ptr",), ()),
        ),
        (
            (
                f"let a = if TURNED {{ {described('x_ptr')} }} else {{ {described('y_ptr')} }};\n"
                "T::store_tensor_descriptor(a, &[0, 0], T::zeros::<D>(&[BLOCK, 16]));"
            ),
            ((), ("x_ptr", "y_ptr"), ()),
        ),
        (
            (
                "let at = T::load(i_ptr.add_offsets(T::arange(0, BLOCK)), None, None, &[], None, None, None, false);\n"
                "let place = x_ptr.add_offsets(at);\n"
                "T::store(place, T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
            ),
            (("i_ptr",), ("x_ptr",), ()),
        ),
        (
            (
                "T::store(x_ptr.add_offsets(T::load(i_ptr.add_offsets(T::arange(0, BLOCK)), None, None, "
                "&[], None, None, None, false)), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
            ),
            (("i_ptr",), ("x_ptr",), ()),
        ),
        (
            (
                "let (a, b) = (x_ptr, y_ptr);\n"
                "T::atomic_add(b.add_offsets(T::arange(0, BLOCK)), T::load(a.add_offsets(T::arange(0, "
                "BLOCK)), None, None, &[], None, None, None, false), None, None, None);"
            ),
            (("x_ptr",), (), ("y_ptr",)),
        ),
    ],
)
def test_what_is_read_and_written_stays_exact(
    body: str, expected: tuple[tuple[str, ...], ...]
) -> None:
    assert facts(body) == expected


LOAD = "let x = T::load(x_ptr.add_offsets(T::arange(0, BLOCK)), None, None, &[], None, {}, None, false);"
STORE = "T::store(x_ptr.add_offsets(T::arange(0, BLOCK)), T::zeros::<D>(&[BLOCK]), None, &[], {}, None);"


@pytest.mark.parametrize(
    ("statement", "member", "expected"),
    [(LOAD, member, []) for member in ("Ca", "Cg", "Cv")]
    + [(LOAD, member, ["E0504"]) for member in ("Wb", "Cs", "Wt")]
    + [(STORE, member, []) for member in ("Wb", "Cg", "Cs", "Wt")]
    + [(STORE, member, ["E0504"]) for member in ("Ca", "Cv")],
)
def test_cache_modifiers_are_those_of_the_operation(
    statement: str, member: str, expected: list[str]
) -> None:
    body = statement.format(f"Some(CacheModifier::{member})")
    found = [
        code for code in codes(body, generics=GENERICS, parameters=PARAMETERS) if code[0] == "E"
    ]
    assert found == expected


def test_a_mask_does_not_go_with_a_block_pointer() -> None:
    body = (
        f"let q = {described('x_ptr')};\n"
        "let mask = T::zeros::<i32>(&[BLOCK, 16]).lt(n);\n"
        "T::store(q, T::zeros::<D>(&[BLOCK, 16]), Some(mask), &[0, 1], None, None);"
    )
    assert codes(body, generics=GENERICS, parameters=PARAMETERS) == ["E0404"]


def test_one_padding_for_all_a_descriptor_may_be() -> None:
    padded = described("x_ptr").replace("None)", "Some(PaddingOption::Nan))")
    body = (
        f"let q = if TURNED {{ {padded} }} else {{ {described('x_ptr')} }};\n"
        "T::store_tensor_descriptor(q, &[0, 0], T::load_tensor_descriptor(q, &[0, 0]));"
    )
    assert codes(body, generics=GENERICS, parameters=PARAMETERS) == ["E0401"]


@pytest.mark.parametrize(
    ("policy", "volatile", "expected"),
    [("EvictLast", "true", ["E0504"]), ("EvictLast", "false", []), ("NoEvict", "true", [])],
)
def test_a_volatile_load_has_no_eviction_policy(
    policy: str, volatile: str, expected: list[str]
) -> None:
    body = (
        "let x = T::load(x_ptr.add_offsets(T::arange(0, BLOCK)), None, None, &[], None, None, "
        f"Some(EvictionPolicy::{policy}), {volatile});"
    )
    found = codes(body, generics=GENERICS, parameters=PARAMETERS)
    assert [code for code in found if code[0] == "E"] == expected


X, Y = described("x_ptr"), described("y_ptr")
COPY = "T::store_tensor_descriptor({}, &[0, 0], T::load_tensor_descriptor({}, &[0, 0]));"


@pytest.mark.parametrize(
    "body",
    [
        f"let pair = ({X}, {Y});\n" + COPY.format("pair.1", "pair.0"),
        f"let pair = ({X}, {Y});\nlet (from, to) = pair;\n" + COPY.format("to", "from"),
        f"let (from, to) = {{ let pair = ({X}, {Y}); pair }};\n" + COPY.format("to", "from"),
        f"let nested = (({X}, n), {Y});\nlet ((from, _), to) = nested;\n"
        + COPY.format("to", "from"),
        f"let nested = (({X}, n), {Y});\n" + COPY.format("nested.1", "nested.0.0"),
        f"let (inner, to) = (({X}, n), {Y});\n" + COPY.format("to", "inner.0"),
    ],
)
def test_a_tuple_of_descriptors_is_taken_apart(body: str) -> None:
    *_, call = "".join(line.strip() for line in statements(body)).partition("_store_tile(")
    assert call.startswith("y_ptr,[n, m],[m, 1],[0, 0],[BLOCK, 16],_load_tile(x_ptr, [n, m],")


def test_a_variable_of_a_tuple_of_descriptors_is_assigned_at_once() -> None:
    lines = statements(
        f"let mut pair = ({X}, {Y});\nif n > m {{\n    pair = (pair.1, pair.0);\n}}\n"
        + COPY.format("pair.1", "pair.0")
    )
    kept, first, second = (
        lines.index(f"    {line}")
        for line in (
            "next_pair_1_base = pair_0_base",
            "pair_0_base = next_pair_0_base",
            "pair_1_base = next_pair_1_base",
        )
    )
    assert kept < first < second


def test_a_descriptor_keeps_its_value_when_the_one_it_was_copied_from_changes() -> None:
    lines = statements(
        f"let mut a = {X};\nlet mut b = {Y};\nlet old = a;\na = b;\nb = old;\n"
        + COPY.format("b", "a")
    )
    kept, changed, read = (
        lines.index(line) for line in ("old_base = a_base", "a_base = b_base", "b_base = old_base")
    )
    assert kept < changed < read


def test_a_paragraph_that_begins_with_a_descriptor_still_begins() -> None:
    lines = statements(
        f"let first = n * m;\n\nlet a = {X};\nlet b = {Y};\n" + COPY.format("b", "a")
    )
    assert lines[:3] == ["first = n * m", "", "_store_tile("]


def test_what_two_descriptors_have_in_common_needs_no_variables() -> None:
    lines = statements(
        f"let mut a = {described('x_ptr', 'n, 1')};\nif n > m {{\n    a = {Y};\n}}\n"
        + COPY.format("a", Y)
    )
    changed = lines[1 + lines.index("if n > m:") : lines.index("_store_tile(")]
    assert changed == ["    a_base = y_ptr", "    a_stride_0 = m"]
    assert lines[-6:-1] == [
        "    [n, m],",
        "    [a_stride_0, 1],",
        "    [0, 0],",
        "    [BLOCK, 16],",
        "    _load_tile(y_ptr, [n, m], [m, 1], [0, 0], [BLOCK, 16]),",
    ]
