"""The parse table: Lark makes it from the grammar once, and a cache keeps it.

Its name there is made of the grammar's text and the version of Python; it saves half a second. Lark's own cache is not
used: it takes 30 ms to read for this grammar, for it stores each of its 14,000 actions as a dictionary; here equal rows
of the table are stored once, and it takes a tenth.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import threading
from typing import TYPE_CHECKING

from transpiler import cache
from transpiler.frontend.engine import Parser, Reduction, Table
from transpiler.resources import grammar_text

if TYPE_CHECKING:
    from lark.grammar import Rule

GRAMMAR_FILES = ("terminals", "items", "functions")
START_RULES = ("function_head", "block", "type", "expression", "meta", "arm_head", "generics")

_FORMAT = "4"


def grammar() -> str:
    """The text of the whole grammar."""
    return grammar_text(GRAMMAR_FILES)


def make_table(text: str) -> Table:
    """The table of a grammar."""
    import lark  # noqa: PLC0415 - takes longer than parsing a file, and the cache does without it
    from lark.parsers.lalr_analysis import Shift  # noqa: PLC0415

    built = lark.Lark(
        text,
        parser="lalr",
        start=list(START_RULES),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    parsed = built.parser.parser._parse_table  # noqa: SLF001 - Lark gives no other way to its table
    rules: dict[Rule, int] = {rule: number for number, rule in enumerate(built.rules)}
    rows: dict[tuple[tuple[str, int], ...], int] = {}
    states = []
    for state in range(len(parsed.states)):
        row = tuple(
            sorted(
                (
                    # Lark's names are tokens, which compare slowly and would bring Lark back from the cache.
                    sys.intern(str(name)),
                    target if action is Shift else -1 - rules.setdefault(target, len(rules)),
                )
                for name, (action, target) in parsed.states[state].items()
            )
        )
        states.append(rows.setdefault(row, len(rows)))
    return Table(
        rules=tuple(map(_reduction, rules)),
        rows=tuple(dict(row) for row in rows),
        states=tuple(states),
        start_states={str(rule): state for rule, state in parsed.start_states.items()},
        end_states={str(rule): state for rule, state in parsed.end_states.items()},
        spelled={
            str(terminal.pattern.value): str(terminal.name)
            for terminal in built.terminals
            if terminal.pattern.type == "str"
        },
    )


def _reduction(rule: Rule) -> Reduction:
    """What the engine needs of a rule; the meaning of `?rule`, `_rule` and `-> alias` is Lark's."""
    origin = sys.intern(str(rule.origin.name))
    name = str(rule.alias or origin)
    return Reduction(
        origin=origin,
        size=len(rule.expansion),
        builder=None if name.startswith("_") else name,
        inlined=tuple(
            place
            for place, symbol in enumerate(rule.expansion)
            if not symbol.is_term and symbol.name.startswith("_")
        ),
        passes_single=bool(rule.options.expand1) and not rule.alias,
    )


def load_table() -> Table:
    """The table of the grammar, from the cache where it is there."""
    text = grammar()
    versions = (_FORMAT, *START_RULES, *map(str, sys.version_info[:2]))
    key = hashlib.sha256("\n".join((text, *versions)).encode()).hexdigest()
    name = f"grammar-{key[:24]}.pickle"
    stored = cache.load(name)
    if stored is not None:
        try:
            rules, *rest = pickle.loads(stored)  # noqa: S301 - our own file in the user's own folder
            return Table(tuple(Reduction(*rule) for rule in rules), *rest)
        except Exception:  # noqa: BLE001, S110 - whatever is wrong with a cache, it is made anew
            pass
    table = make_table(text)
    content = (tuple(map(tuple, table.rules)), *table[1:])
    cache.store(name, pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))
    return table


_local = threading.local()


def parser() -> Parser:
    """The parser of this thread: a builder holds the state of one parse."""
    found = getattr(_local, "parser", None)
    if not isinstance(found, Parser):
        found = _local.parser = Parser(load_table())
    return found
