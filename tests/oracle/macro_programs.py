"""Random programs of macros over few names: text that is plain Rust and the body of a kernel at once.

Macros and their callers take their variables, loop variables and labels from one small set of names, so that most
programs have clashes that hygiene must keep apart.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

NAMES = ("a", "b", "t", "u")
_OPERATORS = ("+", "-", "*", "^", "&", "|")


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroProgram:
    """Macro definitions, and statements over the parameters `x0` and `x1` that end in `let q: i32 = …;`."""

    items: str
    body: str


@dataclass(slots=True, kw_only=True)
class MacroGenerator:
    """Makes programs; the same `seed` makes the same. `prefix` keeps their macros apart."""

    seed: int
    prefix: str = "m"
    _rng: random.Random = field(init=False)
    _values: list[tuple[str, str]] = field(default_factory=list)
    _statements: list[tuple[str, str]] = field(default_factory=list)
    _local: list[str] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        """Starts the sequence."""
        self._rng = random.Random(self.seed)  # noqa: S311 - no secret

    def program(self) -> MacroProgram:
        """The next program."""
        self._values, self._statements, self._local = [], [], []
        items = [self._macro() for _ in range(self._rng.randint(3, 6))]
        body = [
            "let mut a = x0; let mut b = x1; let mut t = x0 ^ x1; let mut u = 3;",
            *(self._statement(2) for _ in range(self._rng.randint(3, 7))),
            "let q: i32 = a ^ (b * 3) ^ (t * 5) ^ (u * 7);",
        ]
        return MacroProgram(items="\n".join(items), body="\n".join(body))

    # --- Macros -----------------------------------------------------------------------------------

    def _macro(self) -> str:
        self._count += 1
        name = f"{self.prefix}{self._count}"
        n, m = self._rng.sample(NAMES, 2)
        op, other = self._operator(), self._operator()
        kinds = {
            "own": ("(E)", f"($p:expr) => {{{{ let {n} = $p {op} 5; {n} {other} $p }}}}"),
            "bare": ("(E, E)", f"($p:expr, $r:expr) => {{ $p {op} $r }}"),
            "optional": ("[E; E]", f"($p:expr $(; $r:expr)?) => {{ $p $({op} $r)? }}"),
            "tuple": (
                "(E)",
                f"($p:expr) => {{{{ let ({n}, ({m}, _)) = ($p, (4, 9)); {n} {op} {m} }}}}",
            ),
            "repeat": (
                "(E, E, E)",
                f"($($p:expr),*) => {{{{ let mut {n} = 1_i32; $( {n} = {n} * 3 {other} $p; )* {n} }}}}",
            ),
            "pairs": (
                "(E => E; E => E)",
                (
                    f"($($p:expr => $r:expr);*) => {{{{ let mut {n} = 0_i32; "
                    f"$( let {m} = $r; {n} += $p {op} {m}; )* {n} }}}}"
                ),
            ),
            "match": (
                "(E)",
                f"($p:expr) => {{ match $p & 3 {{ 0 => 5, {n} if {n} > 1 => {n} {op} 2, _ => $p }} }}",
            ),
            "loop": (
                "(N in E; E)",
                (
                    f"($i:ident in $p:expr; $r:expr) => {{{{ let mut {n} = 0_i32; "
                    f"for $i in 0..($p & 3) {{ {n} += $i {op} $r; }} {n} }}}}"
                ),
            ),
            "munch": (
                "(E, E, E)",
                (
                    f"(@go $s:expr;) => {{ $s }}; "
                    f"(@go $s:expr; $p:expr $(, $r:expr)*) => {{ {name}!(@go $s {op} $p; $($r),*) }}; "
                    f"($($p:expr),*) => {{ {name}!(@go 7; $($p),*) }}"
                ),
            ),
        }
        statements = {
            "bind": (
                "(N, E);",
                f"($v:ident, $p:expr) => {{ let {n} = $p {op} 5; let mut $v = {n} {other} $p; }}",
            ),
            "assign": (
                "(N, E);",
                f"($v:ident, $p:expr) => {{ let {n} = $v; $v = {n} {op} $p; }}",
            ),
            "swap": (
                "{ N N }",
                f"($v:ident $w:ident) => {{ let {n} = $v; $v = $w; $w = {n}; }}",
            ),
            "body": (
                "(B);",
                (
                    f"($c:block) => {{ let mut {n} = 0; 'out: loop {{ {n} += 1; "
                    f"if {n} > 2 {{ break 'out; }} $c }} }}"
                ),
            ),
            "each": (
                "[N, N = E];",
                f"($($v:ident),* = $p:expr) => {{ let {n} = $p; $( $v = $v {op} {n}; )* }}",
            ),
        }
        if self._values and self._rng.random() < 0.3:
            inner = self._call(self._values, ("$p", n))
            call, arms = "(E)", f"($p:expr) => {{{{ let {n} = $p; {inner} {op} {n} }}}}"
            self._values.append((name, call))
        elif self._rng.random() < 0.6:
            call, arms = self._rng.choice(list(kinds.values()))
            self._values.append((name, call))
        else:
            call, arms = self._rng.choice(list(statements.values()))
            self._statements.append((name, call))
        return f"macro_rules! {name} {{ {arms}; }}"

    def _call(
        self, macros: list[tuple[str, str]], values: tuple[str, ...] | None, depth: int = 1
    ) -> str:
        name, form = self._rng.choice(macros)
        text = name + "!"
        for letter in form:
            match letter:
                case "E" if values is not None:
                    text += self._rng.choice((*values, f"{values[0]} + 1"))
                case "E":
                    text += self._expression(depth - 1)
                case "N":
                    text += self._rng.choice(NAMES) if values is None else "u"
                case "B":
                    jump = self._rng.choice(("", "if b > 100 { continue 'out; }"))
                    text += f"{{ {self._rng.choice(NAMES)} += {self._expression(0)}; {jump} }}"
                case _:
                    text += letter
        return text

    # --- What calls them --------------------------------------------------------------------------

    def _operator(self) -> str:
        return self._rng.choice(_OPERATORS)

    def _expression(self, depth: int) -> str:
        kind = self._rng.random()
        if depth <= 0 or kind < 0.25:
            return self._rng.choice((*NAMES, *NAMES, str(self._rng.randint(0, 9))))
        if kind < 0.5 and self._values:
            return self._call(self._values, None, depth)
        if kind < 0.6 and self._local:
            return f"{self._rng.choice(self._local)}!()"
        left, right = self._expression(depth - 1), self._expression(depth - 1)
        if kind < 0.7:
            return f"({left} {self._operator()} {right})"
        return f"{left} {self._operator()} {right}"

    def _statement(self, depth: int) -> str:
        kind = self._rng.random()
        name = self._rng.choice(NAMES)
        if kind < 0.35 and self._statements:
            call = self._call(self._statements, None, 2)
            return f"'out: for _ in 0..2 {{ {call} }}" if "'out" in call else call
        if kind < 0.55:
            return f"let mut {name} = {self._expression(2)};"
        if kind < 0.7:
            return f"{name} = {self._expression(2)};"
        if kind < 0.8 and depth:
            known = list(self._local)
            inner = " ".join(self._statement(depth - 1) for _ in range(2))
            self._local = known
            return self._rng.choice((f"{{ {inner} }}", f"if {name} > 3 {{ {inner} }}"))
        if kind < 0.9:
            self._count += 1
            local = f"{self.prefix}{self._count}"
            self._local.append(local)
            return f"macro_rules! {local} {{ () => {{ {name} }}; }}"
        return f"{name} += {self._expression(1)};"
