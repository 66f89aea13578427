"""Random expressions: every operator, conversion, method and form of control flow that has a value."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.oracle.methods import method_call
from tests.oracle.tree import Hole, Node, Piece
from tests.oracle.values import (
    DTYPES,
    FLOATS,
    INTEGERS,
    NUMBERS,
    PRIMARY,
    SIGNED,
    UNARY,
    bits,
    literal,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

# How tightly operators bind, as in Rust's reference.
CAST, TIMES, PLUS, SHIFT, AND, XOR, OR, COMPARE, BOTH, EITHER = 11, 10, 9, 8, 7, 6, 5, 4, 3, 2
LEVELS = {"*": TIMES, "/": TIMES, "%": TIMES, "+": PLUS, "-": PLUS, "<<": SHIFT, ">>": SHIFT}
LEVELS |= {"&": AND, "^": XOR, "|": OR, "&&": BOTH, "||": EITHER}
_NAME = re.compile(r"[A-Za-z_]\w*")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A name in scope; what is declared later counts. `is_known` tells that it stands for a number."""

    name: str
    dtype: str
    is_mutable: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function that programs may call: its name with generics written out, and its types."""

    name: str
    parameters: tuple[str, ...]
    result: str


@dataclass(slots=True, kw_only=True)
class Expressions:
    """Makes expressions of what is in scope."""

    rng: random.Random
    scope: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    is_for_device: bool = False
    fuses: bool = True

    def value_block(self) -> AbstractContextManager[None]:
        """A block within an expression, out of which nothing jumps: kernels refuse that (E0601)."""
        raise NotImplementedError

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is declared within is gone afterwards."""
        before = list(self.scope)
        yield
        self.scope = before

    def visible(self) -> dict[str, Variable]:
        """The variables by name, without those that others hide."""
        return {variable.name: variable for variable in self.scope}

    def chance(self, probability: float) -> bool:
        """True in so many of all cases."""
        return self.rng.random() < probability

    # --- Values -----------------------------------------------------------------------------------

    def expression(self, dtype: str, depth: int) -> Node:
        """A value of the dtype, `depth` operations deep."""
        if depth <= 0 or self.chance(0.12):
            return self.leaf(dtype)
        choice = self.rng.random()
        if choice < 0.06:
            return self.choice(dtype, depth)
        if choice < 0.09:
            return self.block_value(dtype, depth)
        if choice < 0.11:
            return self.matched(dtype, depth)
        if choice < 0.14:
            return self.call(dtype, depth)
        if dtype == "bool":
            return self.condition(depth)
        if choice < 0.26:
            return self.conversion(dtype, depth)
        if choice < 0.34:
            return self.unary(dtype, depth)
        if choice < 0.50:
            return method_call(self, dtype, depth)
        return self.binary(dtype, depth)

    def leaf(self, dtype: str) -> Node:
        """A variable, a constant, or a variable converted."""
        visible = list(self.visible().values())
        names = [each for each in visible if each.dtype == dtype]
        known = [each for each in names if each.is_known and each.name[0] == "N"]
        if known and dtype == "i32" and self.chance(0.3):
            return self.constant_expression([each.name for each in known])
        if names and self.chance(0.75):
            return Node(sort=dtype, pieces=(self.rng.choice(names).name,), precedence=PRIMARY)
        sources = [each for each in visible if _converts(each.dtype, dtype)]
        if sources and self.chance(0.6):
            source = self.rng.choice(sources)
            return self.cast(
                Node(sort=source.dtype, pieces=(source.name,), precedence=PRIMARY), dtype
            )
        if dtype in NUMBERS and self.chance(0.2):
            return self.named_constant(dtype)
        return literal(self.rng, dtype)

    def constant_expression(self, names: list[str]) -> Node:
        """A value that the compiler of the kernel knows; the numbers are too small to overflow."""
        left, right = (
            Node(sort="", pieces=(self.rng.choice(names),), precedence=PRIMARY) for _ in range(2)
        )
        if self.chance(0.4):
            right = Node(sort="", pieces=(str(self.rng.choice((2, 3, 4, 7))),), precedence=PRIMARY)
        first = self.operation("", left, self.rng.choice("+-*/%&|^"), right)
        if self.chance(0.5):
            second = Node(
                sort="", pieces=(self.rng.choice((*names, "3", "-2")),), precedence=PRIMARY
            )
            return self.operation("i32", first, self.rng.choice("+-*/%"), second)
        return self.operation("i32", left, self.rng.choice("+-*/%&|^"), right)

    def named_constant(self, dtype: str) -> Node:
        """A constant that Rust has for the dtype."""
        names = (
            ["MAX", "MIN"]
            if dtype in INTEGERS
            else ["MAX", "MIN", "EPSILON", "INFINITY", "MIN_POSITIVE"]
        )
        return Node(sort=dtype, pieces=(f"{dtype}::{self.rng.choice(names)}",), precedence=PRIMARY)

    def cast(self, operand: Node, dtype: str) -> Node:
        """`operand as dtype`."""
        return Node(
            sort=dtype, pieces=(Hole(node=operand, level=CAST), f" as {dtype}"), precedence=CAST
        )

    def conversion(self, dtype: str, depth: int) -> Node:
        """A value of another dtype, converted."""
        source = self.rng.choice([each for each in DTYPES if _converts(each, dtype)])
        return self.cast(self.expression(source, depth - 1), dtype)

    def unary(self, dtype: str, depth: int) -> Node:
        """`-x` or `!x`."""
        operators = (["-"] if dtype in SIGNED or dtype in FLOATS else []) + (
            ["!"] if dtype in INTEGERS else []
        )
        operand = Hole(node=self.varied(self.expression(dtype, depth - 1)), level=UNARY)
        return Node(sort=dtype, pieces=(self.rng.choice(operators), operand), precedence=UNARY)

    def binary(self, dtype: str, depth: int) -> Node:
        """An operator of numbers."""
        left = self.expression(dtype, depth - 1)
        if dtype in FLOATS:
            right = self.right(dtype, depth)
            return self.operation(
                dtype, self.varied(left), self.rng.choice(self.arithmetic(dtype)), right
            )
        operator = self.rng.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        if operator in {"/", "%"}:
            return self.operation(dtype, self.varied(left), operator, self.divisor(dtype, depth))
        if operator in {"<<", ">>"}:
            return self.operation(dtype, self.varied(left), operator, self.distance(dtype))
        return self.operation(dtype, self.varied(left), operator, self.right(dtype, depth))

    def arithmetic(self, dtype: str) -> str:
        """The operators of a float dtype that are exact where the program is to run."""
        if not self.is_for_device:
            return "+-*/%"
        return "+-*/" if dtype == "f64" else "+-*"

    def operation(self, sort: str, left: Node, operator: str, right: Node) -> Node:
        """`left operator right`."""
        level = LEVELS.get(operator, COMPARE)
        outer = level + 1 if operator in COMPARISONS else level
        is_before_angle = operator[0] == "<"
        pieces: tuple[Piece, ...] = (
            Hole(node=left, level=outer, is_before_angle=is_before_angle),
            f" {operator} ",
            Hole(node=right, level=level + 1),
        )
        return Node(sort=sort, pieces=pieces, precedence=level)

    def right(self, dtype: str, depth: int) -> Node:
        """A right operand, often a literal, with or without its suffix."""
        if self.chance(0.3):
            return literal(self.rng, dtype, has_suffix=self.chance(0.5))
        return self.expression(dtype, depth - 1)

    def varied(self, node: Node) -> Node:
        """The value, or a variable in place of one the compiler could compute: constant overflow is an error."""
        unknown = {name for name, each in self.visible().items() if not each.is_known}
        return node if unknown.intersection(_NAME.findall(str(node))) else self.variable(node.sort)

    def variable(self, dtype: str) -> Node:
        """A value that only running the program tells."""
        visible = [
            each
            for each in self.visible().values()
            if _converts(each.dtype, dtype) and not each.is_known
        ]
        same = [each for each in visible if each.dtype == dtype]
        if not visible:
            # Each number is hidden by a bool of the same name.
            return literal(self.rng, dtype)
        chosen = self.rng.choice(same or visible)
        name = Node(sort=chosen.dtype, pieces=(chosen.name,), precedence=PRIMARY)
        return name if chosen.dtype == dtype else self.cast(name, dtype)

    def divisor(self, dtype: str, depth: int) -> Node:
        """Any number; where Rust panics (for 0, and for MIN / -1) the run is left out of the comparison."""
        if self.chance(0.3):
            numbers = (2, 3, 5, 7, 16, 100) + ((-1, -2, -3) if dtype[0] == "i" else ())
            number = self.rng.choice(numbers)
            return Node(sort="", pieces=(str(number),), precedence=PRIMARY if number > 0 else UNARY)
        if self.chance(0.3):
            return self.varied(self.expression(dtype, depth - 1))
        odd = Hole(node=self.expression(dtype, depth - 1), level=OR)
        return Node(sort="", pieces=(odd, " | 1"), precedence=OR)

    def distance(self, dtype: str) -> Node:
        """A distance of a shift, of any integer dtype; only a variable one may reach the width."""
        if self.chance(0.3):
            number = self.rng.randrange(bits(dtype))
            return Node(sort="", pieces=(str(number),), precedence=PRIMARY)
        return self.variable(self.rng.choice(INTEGERS))

    # --- Conditions -------------------------------------------------------------------------------

    def condition(self, depth: int) -> Node:
        """A bool that is computed."""
        choice = self.rng.random()
        if depth > 0 and choice < 0.3:
            operator = self.rng.choice(("&&", "||", "&&", "||", "&", "|", "^", "==", "!="))
            left, right = self.expression("bool", depth - 1), self.expression("bool", depth - 1)
            return self.operation("bool", left, operator, right)
        if depth > 0 and choice < 0.4:
            operand = Hole(node=self.expression("bool", depth - 1), level=UNARY)
            return Node(sort="bool", pieces=("!", operand), precedence=UNARY)
        if depth > 0 and choice < 0.5:
            return method_call(self, "bool", depth)
        dtype = self.rng.choice(NUMBERS)
        left = self.varied(self.expression(dtype, depth - 1))
        operator, right = self.rng.choice(COMPARISONS), self.right(dtype, depth)
        if self.is_for_device and str(left) == str(right):
            right = literal(self.rng, dtype)
        return self.operation("bool", left, operator, right)

    # --- Control flow with a value ----------------------------------------------------------------

    def choice(self, dtype: str, depth: int) -> Node:
        """`if … else if … else …`."""
        pieces: list[Piece] = ["if ", Hole(node=self.condition(depth - 1)), " "]
        pieces += [Hole(node=self.braced(dtype, depth - 1)), " else "]
        while self.chance(0.3):
            pieces += ["if ", Hole(node=self.condition(depth - 1)), " "]
            pieces += [Hole(node=self.braced(dtype, depth - 1)), " else "]
        pieces.append(Hole(node=self.braced(dtype, depth - 1)))
        return Node(sort=dtype, pieces=tuple(pieces))

    def braced(self, dtype: str, depth: int) -> Node:
        """`{ … value }`, of no sort: it cannot go on its own."""
        with self.value_block():
            statements = [
                Hole(node=self.statement(depth - 1)) for _ in range(self.rng.choice((0, 0, 0, 1)))
            ]
            value = Hole(node=self.expression(dtype, depth))
        return Node(sort="", pieces=("{ ", *statements, value, " }"))

    def block_value(self, dtype: str, depth: int) -> Node:
        """`{ statement; value }`."""
        with self.value_block():
            statements = [
                Hole(node=self.statement(depth - 1)) for _ in range(self.rng.randint(1, 2))
            ]
            value = Hole(node=self.expression(dtype, depth - 1))
        return Node(sort=dtype, pieces=("{\n", *statements, value, "\n}"))

    def statement(self, depth: int) -> Node:
        """A statement within an expression."""
        raise NotImplementedError

    def matched(self, dtype: str, depth: int) -> Node:
        """`match` on an integer or a bool."""
        raise NotImplementedError

    def call(self, dtype: str, depth: int) -> Node:
        """A call of one of the functions, or a value where none fits."""
        fitting = [function for function in self.functions if function.result == dtype]
        if not fitting:
            return self.expression(dtype, depth - 1)
        function = self.rng.choice(fitting)
        pieces: list[Piece] = [function.name, "("]
        for index, parameter in enumerate(function.parameters):
            argument = self.expression(parameter, depth - 1)
            if function.name.endswith("!"):
                # The compiler computes what a macro makes of constants.
                argument = self.varied(argument)
            pieces += [", "] * (index > 0) + [Hole(node=argument)]
        return Node(sort=dtype, pieces=(*pieces, ")"), precedence=PRIMARY)


def _converts(source: str, target: str) -> bool:
    """Whether `as` goes from one dtype to the other, and `source` is another or a number."""
    if target == "bool":
        return source == "bool"
    return source != "bool" or target in INTEGERS
