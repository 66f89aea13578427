"""Counting `while` loops print as `for` loops exactly where that means the same."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import GENERICS, LOAD, OFFSETS, PARAMETERS, store, translated

STORE = "T::store(y_ptr.add_offsets(offsets + i), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
STORED = "tl.store(y_ptr + (offsets + i), tl.zeros([BLOCK], D))"
WITH_STEP = GENERICS + ", const S: i32"


def loop(
    *, start: str = "0", condition: str = "i < n", body: str = STORE, step: str = "i += BLOCK;"
) -> str:
    return f"let mut i = {start};\nwhile {condition} {{\n    {body}\n    {step}\n}}\n"


@pytest.mark.parametrize(
    ("rust", "head"),
    [
        (loop(), "range(0, n, BLOCK)"),
        (loop(condition="n > i"), "range(0, n, BLOCK)"),
        (loop(step="i = i + BLOCK;"), "range(0, n, BLOCK)"),
        (loop(step="i = BLOCK + i;"), "range(0, n, BLOCK)"),
        (loop(step="i += 1;"), "range(n)"),
        (loop(step="i += 4;"), "range(0, n, 4)"),
        (loop(step="i += 2 * BLOCK;"), "range(0, n, 2 * BLOCK)"),
        (loop(start="n", condition="i < m"), "range(n, m, BLOCK)"),
        (loop(start="{ 0 }", step="i += { 1 };"), "range(n)"),
        (
            loop(start="T::program_id(Axis::X) * BLOCK"),
            "range(tl.program_id(0) * BLOCK, n, BLOCK)",
        ),
        (loop(condition="i < n * m"), "range(0, n * m, BLOCK)"),
        (loop(condition="i < T::cdiv(n, BLOCK)", step="i += 1;"), "range(tl.cdiv(n, BLOCK))"),
        ("let mut b = 5;\nb = b + n;\n" + loop(condition="i < b"), "range(0, b, BLOCK)"),
        ("let mut i = 7;\ni = 3;\n" + loop().partition("\n")[2], "range(3, n, BLOCK)"),
    ],
)
def test_becomes_a_for_loop(rust: str, head: str) -> None:
    text = translated(OFFSETS + rust)
    assert f"for i in {head}:\n    {STORED}" in text
    assert "while" not in text
    assert "i +=" not in text
    assert "\ni = " not in text


@pytest.mark.parametrize(
    "rust",
    [
        pytest.param(loop() + STORE, id="the counter is read after the loop"),
        pytest.param(loop(condition="i <= n"), id="an inclusive bound, which may be the largest"),
        pytest.param(loop(condition="i != n"), id="another comparison"),
        pytest.param(loop(condition="i < n && i < m"), id="two conditions"),
        pytest.param(loop(condition="i + 1 < n"), id="the counter is not alone"),
        pytest.param(loop(condition="i < n - i"), id="the bound reads the counter"),
        pytest.param(loop(step="i += m;"), id="a step of unknown sign"),
        pytest.param(loop(step="i += S;"), id="a const generic that is no extent"),
        pytest.param(loop(step="i += 0;"), id="a step of zero"),
        pytest.param(loop(step="i += -1;"), id="a negative step"),
        pytest.param(loop(start="9", condition="i > 0", step="i -= 1;"), id="counting down"),
        pytest.param(loop(start="1", step="i *= 2;"), id="multiplying"),
        pytest.param(loop(step=f"i += BLOCK;\n{STORE}"), id="the step is not last"),
        pytest.param(loop(body=f"i += 1;\n{STORE}"), id="two assignments"),
        pytest.param(loop(body=f"if m > 3 {{ i = 5; }}\n{STORE}"), id="an assignment in a branch"),
        pytest.param(loop(step="if m > 0 { i += BLOCK; }"), id="the step is in a branch"),
        pytest.param(
            "let mut e = n;\n" + loop(condition="i < e", body=STORE + " e = e - 1;"),
            id="the bound changes in the body",
        ),
        pytest.param(
            loop(start="0").replace("while", "if n > 3 { i = 2; }\nwhile", 1),
            id="another value on one path",
        ),
        pytest.param(
            "let mut b = 4;\nlet mut i = b;\nb = 9;\n"
            + loop(condition="i < b").partition("\n")[2]
            + STORE.replace("+ i", "+ b"),
            id="the start is not what it was",
        ),
        pytest.param(
            "let mut i = 0;\nif m > 2 {\n" + loop().partition("\n")[2] + "}\n",
            id="the start is in another block",
        ),
        pytest.param(
            "let mut i = 0;\nfor j in 0..m {\n" + loop().partition("\n")[2] + "}\n",
            id="the start is outside the loop around it",
        ),
        pytest.param(
            loop() + loop().partition("\n")[2], id="a second loop goes on where the first ended"
        ),
    ],
)
def test_stays_a_while_loop(rust: str) -> None:
    text = translated(OFFSETS + rust, generics=WITH_STEP)
    assert "while " in text
    assert "for i in" not in text


def test_a_parameter_as_counter_stays_a_while_loop() -> None:
    text = translated(
        OFFSETS + "while i < n {\n" + STORE + "\ni += BLOCK;\n}",
        parameters=PARAMETERS + ", mut i: i32",
    )
    assert "while i < n:" in text


def test_two_loops_share_a_counter() -> None:
    second = loop(condition="i < m").replace("let mut i = 0", "i = 1")
    assert translated(OFFSETS + loop() + second).splitlines()[1:] == [
        "for i in range(0, n, BLOCK):",
        f"    {STORED}",
        "for i in range(1, m, BLOCK):",
        f"    {STORED}",
    ]


def test_two_loops_share_a_counter_and_one_must_stay() -> None:
    """Both stay: the variable lives on in the second."""
    second = loop(condition="i <= m").replace("let mut i = 0", "i = 1")
    text = translated(OFFSETS + loop() + second)
    assert "while i < n:" in text
    assert "while i <= m:" in text


def test_nested_loops() -> None:
    inner = loop(condition="j < m", step="j += 1;").replace("let mut i", "let mut j")
    body = OFFSETS + loop(body=inner)
    assert translated(body).splitlines()[1:4] == [
        "for i in range(0, n, BLOCK):",
        "    for j in range(m):",
        f"        {STORED}",
    ]


def test_an_outer_loop_converts_where_the_inner_one_cannot() -> None:
    inner = "while j < m {\n" + STORE + "\nj += 1;\n}"
    assert translated(OFFSETS + "let mut j = 0;\n" + loop(body=inner)).splitlines()[1:4] == [
        "j = 0",
        "for i in range(0, n, BLOCK):",
        "    while j < m:",
    ]


def test_comments_survive() -> None:
    body = OFFSETS + (
        "// where it starts\n"
        "let mut i = 0; // the first\n"
        "// every tile\n"
        "while i < n { // of the row\n"
        "    // write\n"
        f"    {STORE}\n"
        "    // go on\n"
        "    i += BLOCK; // to the next\n"
        "    // until the end\n"
        "}\n"
        "// done\n"
    )
    text = translated(body)
    assert "for i in range(0, n, BLOCK):" in text
    comments = [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]
    assert comments == [
        "where it starts",
        "the first",
        "every tile",
        "of the row",
        "write",
        "go on",
        "to the next",
        "until the end",
        "done",
    ]


def test_carried_values_keep_working() -> None:
    body = LOAD + "let mut acc = T::zeros::<D>(&[BLOCK]);\n"
    body += loop(body="acc = acc + x;").replace("i < n", "i < m") + store("acc")
    assert translated(body).splitlines()[2:5] == [
        "acc = tl.zeros([BLOCK], D)",
        "for i in range(0, m, BLOCK):",
        "    acc = acc + x",
    ]


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        ("0..n", "range(n)"),
        ("1..n", "range(1, n)"),
        ("0..(n / 4)", "range(n // 4)"),
        ("(m - 1)..n", "range(m - 1, n)"),
    ],
)
def test_for_loops_over_ranges(rust: str, python: str) -> None:
    text = translated(OFFSETS + f"for i in {rust} {{\n{STORE}\n}}")
    assert f"for i in {python}:" in text


def test_a_loop_variable_hidden_in_the_body() -> None:
    text = translated(OFFSETS + f"for i in 0..n {{\n    let i = i + 1;\n    {STORE}\n}}")
    stored = STORED.replace(" i", " i_1")
    assert text.splitlines()[1:] == ["for i in range(n):", "    i_1 = i + 1", f"    {stored}"]
