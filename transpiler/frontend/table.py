"""The LALR parser: its table is made from the grammar once and read from a cache afterwards.

The cache lies in the user's cache folder, under a name made of the grammar's text and the versions of Lark and
Python. One that cannot be read or written is done without, silently: it saves half a second and is worth no failure.
Lark's own cache is not used: it takes 30 ms to read for this grammar, for it stores each of its 14,000 actions as a
dictionary; here equal rows of the table are stored once, and it takes a tenth.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import lark
from lark.lexer import LexerState, LexerThread
from lark.parse_tree_builder import ParseTreeBuilder
from lark.parsers.lalr_analysis import Action, IntParseTable, Reduce, Shift
from lark.parsers.lalr_parser_state import ParseConf, ParserState

from transpiler.frontend.build.statements import StatementBuilder
from transpiler.frontend.lexer import RustLexer, Slice
from transpiler.resources import grammar_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lark.grammar import Rule

GRAMMAR_FILES = ("terminals", "items", "functions")
START_RULES = ("function_head", "block", "type", "expression", "meta")

_FORMAT = "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A parse table as plain data.

    `rows` are the distinct rows; an action is a state to shift to, or `-1 - r` to reduce by rule `r`. `states[s]` is
    the row of state `s`. `spelled` gives the terminal of each keyword and mark.
    """

    rules: tuple[Rule, ...]
    rows: tuple[dict[str, int], ...]
    states: tuple[int, ...]
    start_states: dict[str, int]
    end_states: dict[str, int]
    spelled: dict[str, str]


def grammar() -> str:
    """The text of the whole grammar."""
    return grammar_text(GRAMMAR_FILES)


def make_table(text: str) -> Table:
    """The table of a grammar."""
    built = lark.Lark(
        text,
        parser="lalr",
        start=list(START_RULES),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    parsed = built.parser.parser._parse_table  # noqa: SLF001 - Lark gives no other way to its table
    rules: dict[Rule, int] = {}
    for number, rule in enumerate(built.rules):
        # Lark's names are tokens, which compare slowly; a name that is the row's own key need not be compared at all.
        rule.origin.name = sys.intern(str(rule.origin.name))
        rules[rule] = number
    rows: dict[tuple[tuple[str, int], ...], int] = {}
    states = []
    for state in range(len(parsed.states)):
        row = tuple(
            sorted(
                (
                    sys.intern(str(name)),
                    target if action is Shift else -1 - rules.setdefault(target, len(rules)),
                )
                for name, (action, target) in parsed.states[state].items()
            )
        )
        states.append(rows.setdefault(row, len(rows)))
    return Table(
        rules=tuple(rules),
        rows=tuple(dict(row) for row in rows),
        states=tuple(states),
        start_states=parsed.start_states,
        end_states=parsed.end_states,
        spelled={
            terminal.pattern.value: terminal.name
            for terminal in built.terminals
            if terminal.pattern.type == "str"
        },
    )


def cache_folder() -> Path:
    """Where this platform keeps a user's caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "teeny-transpile"


def load_table() -> Table:
    """The table of the grammar, from the cache where it is there."""
    text = grammar()
    versions = (_FORMAT, lark.__version__, *map(str, sys.version_info[:2]))
    key = hashlib.sha256("\n".join((text, *versions)).encode()).hexdigest()
    try:
        path = cache_folder() / f"grammar-{key[:24]}.pickle"
    except RuntimeError:  # no home folder
        return make_table(text)
    try:
        with path.open("rb") as file:
            stored = pickle.load(file)  # noqa: S301 - our own file in the user's own folder
        return Table(**stored)
    except Exception:  # noqa: BLE001, S110 - whatever is wrong with a cache, it is made anew
        pass
    table = make_table(text)
    _store(path, table)
    return table


def _store(path: Path, table: Table) -> None:
    """Write the cache in one step, so that nobody ever reads half of it."""
    import tempfile  # noqa: PLC0415 - needed once in the life of a cache

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".grammar-")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            stored = {field.name: getattr(table, field.name) for field in fields(table)}
            pickle.dump(stored, file, protocol=pickle.HIGHEST_PROTOCOL)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)


class _Callbacks:
    """Hands Lark the methods of a builder, the children of a reduction spread into parameters."""

    def __init__(self, builder: StatementBuilder) -> None:
        self._builder = builder

    def __getattr__(self, rule: str) -> Callable[[list[object]], object]:
        if rule.startswith("_"):
            raise AttributeError(rule)
        method = getattr(self._builder, rule)
        return lambda children: method(*children)


class Parser:
    """Lark's LALR engine over the table, with the lexer and the builder of this front end."""

    def __init__(self, table: Table) -> None:
        self.builder = StatementBuilder()
        self.spelling = {name: text for text, name in table.spelled.items()}
        actions: list[tuple[Action, int | Rule]] = [
            (Shift, state) for state in range(len(table.states))
        ]
        actions.extend((Reduce, rule) for rule in reversed(table.rules))
        rows = [{name: actions[code] for name, code in row.items()} for row in table.rows]
        parse_table = IntParseTable(  # type: ignore[no-untyped-call]  # so Lark leaves it
            {state: rows[row] for state, row in enumerate(table.states)},
            table.start_states,
            table.end_states,
        )
        shaping = ParseTreeBuilder(table.rules, lark.Tree)  # type: ignore[no-untyped-call]  # so Lark leaves it
        callbacks = shaping.create_callback(_Callbacks(self.builder))  # type: ignore[no-untyped-call]  # so Lark leaves it
        self._configurations = {
            start: ParseConf(parse_table, callbacks, start) for start in table.start_states
        }
        self._lexer = RustLexer(table.spelled)

    def lex(self, part: Slice) -> Iterator[lark.Token]:
        """The tokens of `part`."""
        return self._lexer.lex(_state(part), None)

    def parse(self, start: str, part: Slice) -> object:
        """What the rule `start` makes of `part`; the builder's state is the caller's to set.

        Raises:
            lark.UnexpectedToken: a syntax error.
            Fault: a syntax error that has its words already.
            UnclosedError: something the lexer cuts out whole does not end.
            UnterminatedError: a string or a comment does not end.
        """
        lexed = _state(part)
        thread = LexerThread(self._lexer, lexed)
        state: ParserState[int] = ParserState(self._configurations[start], thread, None, None)
        for token in self._lexer.lex(lexed, state):
            state.feed_token(token)
        end = lark.Token("$END", "", part.end, end_pos=part.end)
        return state.feed_token(end, is_end=True)


def _state(part: Slice) -> LexerState:
    return LexerState(part)  # type: ignore[arg-type]  # a custom lexer may read any object


_local = threading.local()


def parser() -> Parser:
    """The parser of this thread: a builder holds the state of one parse."""
    found = getattr(_local, "parser", None)
    if not isinstance(found, Parser):
        found = _local.parser = Parser(load_table())
    return found
