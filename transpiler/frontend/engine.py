"""The LALR engine: follows a parse table over the tokens of a slice, and has a builder make the values.

Lark makes the table. Following it here means that a run whose table is in the cache never imports Lark, which would
take a sixth of its time, and that a rule whose value is that of its only child costs no call.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from transpiler.frontend.build.statements import StatementBuilder
from transpiler.frontend.lexer import Lexeme, RustLexer
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from transpiler.frontend.lexer import Slice

END = "$END"


class Reduction(NamedTuple):
    """A rule of the grammar, as far as following the table needs it.

    `size` symbols become one `origin`. `builder` names the method that makes the value, from the values of the symbols;
    those at the places in `inlined` are lists whose elements take their place. Where `passes_single`, one value alone
    is the result. A rule whose own name begins with an underscore makes such a list: it has no `builder`.
    """

    origin: str
    size: int
    builder: str | None
    inlined: tuple[int, ...]
    passes_single: bool


class Table(NamedTuple):
    """A parse table as plain data.

    `rows` are the distinct rows; an action is a state to shift to, or `-1 - r` to reduce by rule `r`. `states[s]` is
    the row of state `s`. `spelled` gives the terminal of each keyword and mark.
    """

    rules: tuple[Reduction, ...]
    rows: tuple[dict[str, int], ...]
    states: tuple[int, ...]
    start_states: dict[str, int]
    end_states: dict[str, int]
    spelled: dict[str, str]


class UnexpectedTokenError(Exception):
    """A syntax error: `token` cannot come here; `expected` are the terminals that can."""

    def __init__(self, token: Lexeme, expected: Callable[[], frozenset[str]]) -> None:
        super().__init__(f"{token.type} at {token.start_pos}")
        self.token = token
        self._expected = expected

    @property
    def expected(self) -> frozenset[str]:
        """The terminals that could have come."""
        return self._expected()


class Parser:
    """A table with the lexer and the builder of this front end."""

    def __init__(self, table: Table) -> None:
        self.builder = StatementBuilder()
        self.spelling = {name: text for text, name in table.spelled.items()}
        self._table = table
        self._rows = [table.rows[row] for row in table.states]
        self._reductions = [(it.origin, it.size, self._maker(it)) for it in table.rules]
        self._lexer = RustLexer(table.spelled)

    def _maker(self, rule: Reduction) -> Callable[..., object] | None:
        """What makes the value of a rule from those of its symbols; None where that is the only one's."""
        if rule.passes_single and rule.size == 1 and not rule.inlined:
            return None
        method: Callable[..., object] = (
            _as_list if rule.builder is None else getattr(self.builder, rule.builder)
        )
        if not rule.inlined:
            return method

        def make(*values: object) -> object:
            flat = _flattened(values, rule.inlined)
            return flat[0] if rule.passes_single and len(flat) == 1 else method(*flat)

        return make

    def lex(self, part: Slice) -> Iterator[Lexeme]:
        """The tokens of `part`."""
        return self._lexer.lex(part)

    def parse(self, start: str, part: Slice) -> object:
        """What the rule `start` makes of `part`; the builder's state is the caller's to set.

        Raises:
            UnexpectedTokenError: a syntax error.
            Fault: a syntax error that has its words already.
            UnclosedError: something the lexer cuts out whole does not end.
            UnterminatedError: a string or a comment does not end.
        """
        rows, reductions = self._rows, self._reductions
        states, values = [self._table.start_states[start]], list[object]()
        end = Lexeme(END, "", part.end, part.end)
        for token in chain(self._lexer.lex(part), (end,)):
            kind = token.type
            code = rows[states[-1]].get(kind)
            # Everything the parser does happens here, some thousand times a file: no calls but what makes values.
            while code is not None and code < 0:
                origin, size, make = reductions[~code]
                if make is None:
                    states.pop()
                elif size == 1:
                    values[-1] = make(values[-1])
                    states.pop()
                elif size:
                    values[-size:] = (make(*values[-size:]),)
                    del states[-size:]
                else:
                    values.append(make())
                state = rows[states[-1]][origin]
                states.append(state)
                code = rows[state].get(kind)
            if token is end and states[-1] == self._table.end_states[start]:
                break
            if code is None or token is end:
                raise UnexpectedTokenError(token, lambda: self._expected(states))
            states.append(code)
            values.append(token)
        return values[-1]

    def _expected(self, states: list[int]) -> frozenset[str]:
        """The terminals whose actions lead to a shift: a row also names some that only reductions precede."""
        rows, found = self._rows, set()
        for terminal in rows[states[-1]]:
            if not (terminal.isupper() or terminal.startswith("__ANON")):
                continue
            stack = list(states)
            while (code := rows[stack[-1]].get(terminal)) is not None:
                if code >= 0:
                    found.add(terminal)
                    break
                origin, size, _ = self._reductions[~code]
                if size:
                    del stack[-size:]
                stack.append(rows[stack[-1]][origin])
        return frozenset(found)


def _as_list(*values: object) -> list[object]:
    return list(values)


def _flattened(values: Sequence[object], inlined: tuple[int, ...]) -> list[object]:
    """The values, with the lists at `inlined` spread out."""
    flat: list[object] = []
    for place, value in enumerate(values):
        if place in inlined and isinstance(value, list):
            flat.extend(value)
        else:
            flat.append(value)
    return flat
