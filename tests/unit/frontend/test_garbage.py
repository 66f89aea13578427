"""Whatever the text, the front end says something and never raises."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.frontend.parsing import kernel, parse_any, without_spans
from transpiler.syntax.printer import print_file

WORDS = st.sampled_from(
    [
        "let",
        "mut",
        "x",
        "y",
        "1",
        "2.5",
        "0xff",
        "'a'",
        "'a",
        '"s"',
        'r#"s"#',
        "+",
        "-",
        "*",
        "/",
        "%",
        "<",
        ">",
        "=",
        "==",
        "=>",
        "->",
        "::",
        ":",
        ";",
        ",",
        ".",
        "..",
        "..=",
        "&",
        "&&",
        "|",
        "||",
        "!",
        "?",
        "#",
        "@",
        "$",
        "~",
        "if",
        "else",
        "while",
        "for",
        "in",
        "match",
        "loop",
        "return",
        "break",
        "fn",
        "struct",
        "impl",
        "mod",
        "use",
        "const",
        "pub",
        "trait",
        "unsafe",
        "as",
        "where",
        "move",
        "self",
        "T",
        "D",
        "f",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "//",
        "/*",
        "*/",
        "///",
        "//!",
        "#[kernel]",
        "#![a]",
        "\n",
        "é",
        "\\",
        "\x00",
        '"',
        "'",
    ]
)
TEXTS = st.lists(WORDS, max_size=40).map(" ".join)


def nested(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.sampled_from(("()", "[]", "{}"))
    return st.tuples(group, st.lists(children, max_size=5)).map(
        lambda pair: f"{pair[0][0]} {' '.join(pair[1])} {pair[0][1]}"
    )


BALANCED = st.recursive(WORDS.filter(lambda word: word not in "()[]{}"), nested, max_leaves=30)


@given(TEXTS)
@settings(deadline=None)
def test_any_tokens(text: str) -> None:
    parse_any(text)


@given(st.lists(BALANCED, max_size=6).map(" ".join))
@settings(deadline=None)
def test_balanced_tokens_in_a_kernel(text: str) -> None:
    parsed = parse_any(kernel(text))
    if not parsed.diagnostics:
        again = parse_any(print_file(parsed.file))
        assert again.diagnostics == ()
        assert without_spans(again.file) == without_spans(parsed.file)


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_characters(text: str) -> None:
    parsed = parse_any(text)
    end = len(text)
    for found in parsed.diagnostics:
        if found.primary is not None:
            assert 0 <= found.primary.span.start <= found.primary.span.end <= end


@given(st.integers(min_value=0, max_value=400), st.sampled_from("(){}[];,<>\"'/*"))
@settings(deadline=None)
def test_a_kernel_with_one_character_too_many(place: int, extra: str) -> None:
    text = (
        kernel(
            "let a = T::load(p.add_offsets(o), Some(m), None);\n    while n < N {\n        n += 1;\n    }"
        )
        * 3
    )
    place %= len(text)
    parsed = parse_any(text[:place] + extra + text[place:])
    assert parsed.file.span.end == len(text) + 1
