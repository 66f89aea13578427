"""Random statements: declarations, assignments, every form of control flow, and stores."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.oracle.expressions import BOTH, COMPARE, Expressions, Variable
from tests.oracle.tree import STATEMENT, Hole, Node, Piece
from tests.oracle.values import DTYPES, FLOATS, INTEGERS, SIGNED, limits, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES = ("a", "b", "c", "d", "e", "lambda", "max", "tl", "x0", "x1", "x2")
"""Few, so that names hide others; some that Python or Triton would take for something else."""


_COUNTED_BACK = ("i8", "i16", "i32", "u8", "u16", "u32")
_COUNTED_BACK_INCLUSIVE = ("i8", "i16", "u8", "u16")
"""The dtypes of which Rust knows how many numbers a range has, and so can go through its steps backwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A pointer that programs store through; `dtype` is that of its elements."""

    name: str
    dtype: str


@dataclass(slots=True, kw_only=True)
class Statements(Expressions):
    """Makes statements, and the expressions that hold some."""

    outputs: list[Output] = field(default_factory=list)
    elements: int = 8
    _labels: int = 0
    _loops: list[str] = field(default_factory=list)

    @contextmanager
    def value_block(self) -> Iterator[None]:
        loops, self._loops = self._loops, []
        with self.block():
            yield
        self._loops = loops

    def statements(self, count: int, depth: int) -> list[Piece]:
        """Statements one after the other, in the scope there is."""
        return [Hole(node=self.statement(depth)) for _ in range(count)]

    def statement(self, depth: int) -> Node:
        """One statement, ending in a line end."""
        choice = self.rng.random()
        if depth <= 0 or choice < 0.3:
            return self._declaration(depth)
        if choice < 0.45:
            return self._assignment(depth)
        if choice < 0.52:
            return self._tuple(depth)
        if choice < 0.58:
            return self._late(depth)
        if choice < 0.7:
            return self._conditional(depth)
        if choice < 0.74:
            return self._match(depth)
        if choice < 0.84:
            return self._for(depth)
        if choice < 0.9:
            return self._while(depth)
        if choice < 0.93:
            return self._loop_value(depth)
        if choice < 0.95:
            return self._labelled(depth)
        return self._jump(depth) if self._loops and self.chance(0.6) else self._effect(depth)

    def _made(self, *pieces: Piece) -> Node:
        return Node(sort=STATEMENT, pieces=(*pieces, "\n"))

    def _declare(self, name: str, dtype: str, *, is_mutable: bool = False) -> None:
        self.scope.append(Variable(name=name, dtype=dtype, is_mutable=is_mutable))

    # --- Declarations and assignments -------------------------------------------------------------

    def _declaration(self, depth: int) -> Node:
        dtype, name = self.rng.choice(DTYPES), self.rng.choice(_NAMES)
        is_mutable = self.chance(0.5)
        value = Hole(node=self.expression(dtype, max(depth, 1)))
        self._declare(name, dtype, is_mutable=is_mutable)
        return self._made(f"let {'mut ' * is_mutable}{name}: {dtype} = ", value, ";")

    def _mutable(self) -> Variable | None:
        found = [each for each in self.visible().values() if each.is_mutable]
        return self.rng.choice(found) if found else None

    def _assignment(self, depth: int) -> Node:
        variable = self._mutable()
        if variable is None:
            return self._declaration(depth)
        name, dtype = variable.name, variable.dtype
        if self.chance(0.5):
            return self._made(f"{name} = ", Hole(node=self.expression(dtype, depth)), ";")
        bitwise = [] if dtype in FLOATS else [*"&|^"]
        shifts = ["<<", ">>"] if dtype in INTEGERS else []
        arithmetic = [] if dtype == "bool" else [*self.arithmetic(dtype)]
        operator = self.rng.choice(arithmetic + bitwise + shifts)
        if operator in {"<<", ">>"}:
            value = self.distance(dtype)
        elif operator in {"/", "%"} and dtype in INTEGERS:
            value = self.divisor(dtype, depth)
        else:
            value = self.expression(dtype, depth)
        return self._made(f"{name} {operator}= ", Hole(node=value), ";")

    def _tuple(self, depth: int) -> Node:
        first, second = self.rng.choice(DTYPES), self.rng.choice(DTYPES)
        left, right = self.expression(first, depth - 1), self.expression(second, depth - 1)
        names = self.rng.sample(_NAMES, 3)
        choice = self.rng.random()
        if choice < 0.3:
            mutable = [each for each in self.visible().values() if each.is_mutable]
            if len(mutable) > 1:
                one, other = self.rng.sample(mutable, 2)
                values = [
                    Hole(node=self.expression(each.dtype, depth - 1)) for each in (one, other)
                ]
                return self._made(
                    f"({one.name}, {other.name}) = (", values[0], ", ", values[1], ");"
                )
        if choice < 0.5:
            third = self.rng.choice(DTYPES)
            inner = Hole(node=self.expression(third, depth - 1))
            pieces: tuple[Piece, ...] = (
                f"let ({names[0]}, ({names[1]}, {names[2]})): ({first}, ({second}, {third})) = (",
                *(Hole(node=left), ", (", Hole(node=right), ", ", inner, "));"),
            )
            for name, dtype in zip(names, (first, second, third), strict=True):
                self._declare(name, dtype)
            return self._made(*pieces)
        if choice < 0.75:
            self._declare(names[0], first, is_mutable=True)
            self._declare(names[1], second)
            pair = f"let (mut {names[0]}, {names[1]}): ({first}, {second}) = ("
            return self._made(pair, Hole(node=left), ", ", Hole(node=right), ");")
        self._declare(names[0], first)
        text = f"let {names[0]}: {first} = pair.0;\nlet {names[1]}: {second} = pair.1;"
        self._declare(names[1], second)
        pair = f"let pair: ({first}, {second}) = ("
        return self._made(pair, Hole(node=left), ", ", Hole(node=right), f");\n{text}")

    def _late(self, depth: int) -> Node:
        """`let x;`, given its value by both arms."""
        dtype, name = self.rng.choice(DTYPES), self.rng.choice(_NAMES)
        condition = Hole(node=self._without(name, "bool", depth - 1))
        arms = [Hole(node=self._without(name, dtype, depth - 1)) for _ in range(2)]
        self._declare(name, dtype)
        head = f"let {name}: {dtype};\nif "
        rest = (f" {{\n{name} = ", arms[0], f";\n}} else {{\n{name} = ", arms[1], ";\n}")
        return self._made(head, condition, *rest)

    def _without(self, name: str, dtype: str, depth: int) -> Node:
        """A value that does not read `name`, which hides another."""
        with self.block():
            self.scope = [each for each in self.scope if each.name != name]
            if not self.scope:
                return literal(self.rng, dtype)
            return self.expression(dtype, depth)

    def _effect(self, depth: int) -> Node:
        """A store to a place that is computed."""
        if not self.outputs:
            return self._declaration(depth)
        output = self.rng.choice(self.outputs)
        index = Hole(node=self.variable("i32"), level=8)
        place = "T::arange(0, 1) + ("
        pieces = (place, index, f" & {self.elements - 1})")
        return self.store(output, Hole(node=self.expression(output.dtype, depth)), *pieces)

    def store(self, output: Output, value: Piece, *place: Piece) -> Node:
        """A store of one element."""
        head = f"T::store({output.name}.add_offsets("
        full = f"), T::full::<{output.dtype}>(&[1], "
        return self._made(head, *place, full, value, "), None, &[], None, None);")

    # --- Conditionals -----------------------------------------------------------------------------

    def _block(self, depth: int, *, most: int = 2) -> list[Piece]:
        with self.block():
            return ["{\n", *self.statements(self.rng.randint(1, most), depth - 1), "}"]

    def _conditional(self, depth: int) -> Node:
        pieces: list[Piece] = [
            "if ",
            Hole(node=self.condition(depth - 1)),
            " ",
            *self._block(depth),
        ]
        while self.chance(0.3):
            pieces += [" else if ", Hole(node=self.condition(depth - 1)), " ", *self._block(depth)]
        if self.chance(0.6):
            pieces += [" else ", *self._block(depth)]
        return self._made(*pieces)

    def _match(self, depth: int) -> Node:
        """`match` for its effect."""
        pieces = self._arms(lambda: self._block(depth), depth)
        return self._made(*pieces)

    def matched(self, dtype: str, depth: int) -> Node:
        pieces = self._arms(lambda: [Hole(node=self.expression(dtype, depth - 1))], depth)
        return Node(sort=dtype, pieces=tuple(pieces))

    def _pair(self, make: Callable[[], list[Piece]], depth: int) -> list[Piece]:
        """`match (a, b) { … }`: patterns within patterns."""
        dtypes = (self.rng.choice(INTEGERS), self.rng.choice((*INTEGERS, "bool")))
        values = [Hole(node=self.expression(dtype, depth - 1)) for dtype in dtypes]
        pieces: list[Piece] = ["match (", values[0], ", ", values[1], ") {\n"]
        for _ in range(self.rng.randint(1, 3)):
            with self.block():
                shown: list[str] = []
                guard: list[Piece] = []
                for dtype in dtypes:
                    choice = self.rng.random()
                    if choice < 0.25:
                        shown.append("_")
                    elif choice < 0.5:
                        name = f"{'pq'[len(shown)]}"
                        self._declare(name, dtype)
                        shown.append(name)
                    else:
                        shown.append(self._pattern(dtype))
                if self.chance(0.4):
                    guard = [" if ", Hole(node=self.condition(depth - 1))]
                pieces += [f"({', '.join(shown)})", *guard, " => ", *make(), ",\n"]
        return [*pieces, "_ => ", *make(), ",\n}"]

    def _arms(self, make: Callable[[], list[Piece]], depth: int) -> list[Piece]:
        if self.chance(0.2):
            head: list[Piece] = [
                "match ",
                Hole(node=self.condition(depth - 1)),
                " {\ntrue => ",
                *make(),
            ]
            return [*head, ",\nfalse => ", *make(), ",\n}"]
        dtype = self.rng.choice(INTEGERS)
        pieces: list[Piece] = [
            "match ",
            Hole(node=self.varied(self.expression(dtype, depth - 1))),
            " {\n",
        ]
        for _ in range(self.rng.randint(1, 3)):
            pieces += [*self._arm(dtype, make, depth), ",\n"]
        with self.block():
            if self.chance(0.4):
                name = self.rng.choice(_NAMES)
                self._declare(name, dtype)
                pieces += [f"{name} => ", *make(), ",\n}"]
            else:
                pieces += ["_ => ", *make(), ",\n}"]
        return pieces

    def _arm(self, dtype: str, make: Callable[[], list[Piece]], depth: int) -> list[Piece]:
        pattern = self._pattern(dtype)
        with self.block():
            guard: list[Piece] = []
            name = self.rng.choice(_NAMES)
            choice = self.rng.random()
            if choice < 0.3:
                self._declare(name, dtype)
                shown = f"({pattern})" if "|" in pattern else pattern
                pattern = f"{name} @ {shown}" if self.chance(0.5) else name
                if pattern == name or self.chance(0.3):
                    guard = [" if ", Hole(node=self.condition(depth - 1))]
            elif choice < 0.5:
                guard = [" if ", Hole(node=self.condition(depth - 1))]
            return [pattern, *guard, " => ", *make()]

    def _pattern(self, dtype: str) -> str:
        if dtype == "bool":
            return self.rng.choice(("true", "false"))
        least, most = limits(dtype)
        rng = self.rng
        low = rng.randint(max(least, -5), 9)
        forms = (
            str(low),
            f"{low}..={low + rng.randint(0, 20)}",
            f"{low} | {low + 1}",
            f"{low}..{low + rng.randint(1, 9)}",
            f"{rng.choice((least, most))}",
            f"{low}..",
            f"..={low}",
            f"{dtype}::MAX",
        )
        return rng.choice(forms)

    # --- Loops ------------------------------------------------------------------------------------

    def _label(self) -> str:
        self._labels += 1
        return f"'l{self._labels}" if self.chance(0.4) else ""

    def _body(self, label: str, depth: int, before: list[Piece]) -> list[Piece]:
        """The body of a loop, in which jumps may stand."""
        self._loops.append(label)
        with self.block():
            pieces = ["{\n", *before, *self.statements(self.rng.randint(1, 3), depth - 1), "}"]
        self._loops.pop()
        return pieces

    def _for(self, depth: int) -> Node:
        dtype = self.rng.choice(INTEGERS)
        label = self._label()
        head = [f"{label}: "] if label else []
        name = self.rng.choice((*_NAMES, "i", "_"))
        bounds = self._range(dtype)
        with self.block():
            before: list[Piece] = []
            if name != "_":
                self._declare(name, dtype)
                # See `deviations.COUNTERS`.
                before = [f"let {name}: i32 = {name};\n"] if dtype == "i32" else []
            body = self._body(label, depth, before)
        return self._made(*head, f"for {name} in ", *bounds, " ", *body)

    def _range(self, dtype: str) -> list[Piece]:
        """A range of few numbers, of constants or of variables."""
        rng = self.rng
        dots = rng.choice(("..", "..="))
        if self.chance(0.4):
            low = rng.randint(-2 if dtype in SIGNED else 0, 3)
            high = low + rng.randint(-1 if low > 0 or dtype in SIGNED else 0, 5)
            text: list[Piece] = [f"{low}_{dtype}{dots}{high}"]
        else:
            start = Hole(node=self.variable(dtype), level=8)
            stop = Hole(node=self.variable(dtype), level=8)
            text = ["(", start, f" & 3){dots}(", stop, " & 7)"]
        adapters = [(), (), (".rev()",), (".step_by(2)",), (".rev()", ".step_by(3)")]
        if dtype in (_COUNTED_BACK if dots == ".." else _COUNTED_BACK_INCLUSIVE):
            adapters.append((".step_by(2)", ".rev()"))
        adapter = rng.choice(adapters)
        return ["(", *text, ")", *adapter] if adapter else text

    def _counted(self) -> tuple[str, str]:
        """The name and the declaration of what ends a loop."""
        self._labels += 1
        name = f"n{self._labels}"
        return name, f"let mut {name} = 0_{self.rng.choice(('i32', 'u32', 'i64', 'u8'))};\n"

    def _while(self, depth: int) -> Node:
        name, declaration = self._counted()
        label = self._label()
        head = f"{declaration}{label}{': ' * bool(label)}"
        count = self.rng.randint(1, 5)
        if self.chance(0.5):
            limit = Node(sort="", pieces=(f"{name} < {count}",), precedence=COMPARE)
            more = self.condition(depth - 1) if self.chance(0.5) else None
            condition = limit if more is None else self.operation("", limit, "&&", more)
            assert condition.precedence in {COMPARE, BOTH}
            body = self._body(label, depth, [f"{name} += 1;\n"])
            return self._made(f"{head}while ", Hole(node=condition), " ", *body)
        leave = f"{name} += 1;\nif {name} > {count} {{\nbreak;\n}}\n"
        return self._made(f"{head}loop ", *self._body(label, depth, [leave]))

    def _loop_value(self, depth: int) -> Node:
        """`let x = loop { … break value; … };`."""
        counter, declaration = self._counted()
        dtype, name = self.rng.choice(DTYPES), self.rng.choice(_NAMES)
        with self.block():
            last = Hole(node=self.expression(dtype, depth - 1))
            self._loops.append("value")
            inner = self.statements(self.rng.randint(0, 2), depth - 1)
            self._loops.pop()
            early = [
                Hole(node=self.condition(depth - 1)),
                Hole(node=self.expression(dtype, depth - 1)),
            ]
        self._declare(name, dtype)
        pieces: tuple[Piece, ...] = (
            f"{declaration}let {name}: {dtype} = loop {{\n{counter} += 1;\nif {counter} > 3 {{\nbreak ",
            *(last, ";\n}\n", *inner, "if ", early[0], " {\nbreak ", early[1], ";\n}\n};"),
        )
        return self._made(*pieces)

    def _labelled(self, depth: int) -> Node:
        """`let x = 'a: { … break 'a value; … value };`."""
        self._labels += 1
        label = f"'l{self._labels}"
        dtype, name = self.rng.choice(DTYPES), self.rng.choice(_NAMES)
        with self.block():
            loops, self._loops = self._loops, []
            inner = self.statements(self.rng.randint(0, 2), depth - 1)
            condition = Hole(node=self.condition(depth - 1))
            early = Hole(node=self.expression(dtype, depth - 1))
            rest = self.statements(self.rng.randint(0, 1), depth - 1)
            self._loops = loops
            last = Hole(node=self.expression(dtype, depth - 1))
        self._declare(name, dtype)
        head = f"let {name}: {dtype} = {label}: {{\n"
        leave = ("if ", condition, f" {{\nbreak {label} ", early, ";\n}\n")
        return self._made(head, *inner, *leave, *rest, last, "\n};")

    def _jump(self, depth: int) -> Node:
        """`break` or `continue` of a loop around, under a condition."""
        word = self.rng.choice(("break", "continue"))
        if self._loops[-1] == "value":
            word = "continue"
        labels = [label for label in self._loops if label not in {"", "value"}]
        target = f" {self.rng.choice(labels)}" if labels and self.chance(0.5) else ""
        with self.block():
            before = [Hole(node=self.statement(0))] if self.chance(0.3) else []
        return self._made(
            "if ", Hole(node=self.condition(depth - 1)), " {\n", *before, f"{word}{target};\n}}"
        )
