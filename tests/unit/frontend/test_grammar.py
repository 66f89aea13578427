"""The grammar itself: free of conflicts, and the same language under Lark's own lexer."""

from __future__ import annotations

import lark
import pytest

from tests.unit.frontend.parsing import kernel, parse, without_spans
from transpiler.frontend.lexer import Slice
from transpiler.frontend.table import START_RULES, grammar, parser
from transpiler.syntax.nodes import Block, Function


@pytest.fixture(scope="module")
def strict() -> lark.Lark:
    """The grammar with Lark's contextual lexer; conflicts and colliding terminals raise."""
    return lark.Lark(
        grammar(),
        parser="lalr",
        lexer="contextual",
        start=list(START_RULES),
        keep_all_tokens=True,
        maybe_placeholders=False,
        strict=True,
    )


def test_the_grammar_has_no_conflicts(strict: lark.Lark) -> None:
    assert strict.options.strict


BODY = """{
    let a: T::Tensor<T::Pointer<D>> = T::cast::<f32, D>(x.0.1, None, false) as f32 * -1.0_f32;
    let (b, _) = if c { 1.max(2) } else { 0xff_u8 >> 1 };
    while n < N && !(d >= e) { n += 1; if n == 3 { continue; } }
    for i in 0..n { f(&[1, BLOCK], |x| x + 1); }
    match g { 1..=5 => h, Some(_) | None if a => { } _ => i, }
    'a: loop { break 'a; }
    b
}"""


def test_the_lexer_agrees_with_larks_contextual_lexer(strict: lark.Lark) -> None:
    by_lark = [
        (str(token), token.start_pos)
        for token in strict.parse(BODY, start="block").scan_values(lambda _: True)
    ]
    by_us: list[tuple[str, int | None]] = []
    engine = parser()
    lexed = engine.lex(Slice(BODY, 0, len(BODY)))
    by_us.extend((token.value, token.start_pos) for token in lexed)
    assert by_us == by_lark


def test_the_start_rules_parse() -> None:
    (function,) = parse(kernel(BODY)).items
    assert isinstance(function, Function)
    assert isinstance(function.body, Block)
    assert without_spans(function.body.tail) == without_spans(
        parse(kernel(BODY.replace("\n", "  ")).replace("  }", "}")).items[0].body.tail  # type: ignore[union-attr]
    )
