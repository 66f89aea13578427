"""Prints expressions: parentheses by precedence, and a layout where they do not fit on one line."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import TYPE_CHECKING, assert_never

from transpiler.frozen import dataclass
from transpiler.target.document import (
    INDENT,
    NOTHING,
    SPACE,
    Document,
    Group,
    Trailing,
    bracketed,
    first_line_fits,
    lay_out,
)
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Dict,
    Expression,
    List,
    Name,
    Number,
    Operator,
    Subscript,
    Text,
    Tuple,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_WIDTH = 100


class Precedence(IntEnum):
    """How tightly an expression holds together; Python's grammar, loosest first."""

    CHOICE = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    BIT_OR = 5
    BIT_XOR = 6
    BIT_AND = 7
    SHIFT = 8
    SUM = 9
    PRODUCT = 10
    SIGN = 11
    NUMBER = 12
    PRIMARY = 13


_PRECEDENCE = {
    Operator.OR: Precedence.OR,
    Operator.AND: Precedence.AND,
    Operator.NOT: Precedence.NOT,
    Operator.LESS: Precedence.COMPARISON,
    Operator.LESS_EQUAL: Precedence.COMPARISON,
    Operator.GREATER: Precedence.COMPARISON,
    Operator.GREATER_EQUAL: Precedence.COMPARISON,
    Operator.EQUAL: Precedence.COMPARISON,
    Operator.NOT_EQUAL: Precedence.COMPARISON,
    Operator.IS: Precedence.COMPARISON,
    Operator.IS_NOT: Precedence.COMPARISON,
    Operator.BIT_OR: Precedence.BIT_OR,
    Operator.BIT_XOR: Precedence.BIT_XOR,
    Operator.BIT_AND: Precedence.BIT_AND,
    Operator.SHIFT_LEFT: Precedence.SHIFT,
    Operator.SHIFT_RIGHT: Precedence.SHIFT,
    Operator.ADD: Precedence.SUM,
    Operator.SUBTRACT: Precedence.SUM,
    Operator.MULTIPLY: Precedence.PRODUCT,
    Operator.DIVIDE: Precedence.PRODUCT,
    Operator.FLOOR_DIVIDE: Precedence.PRODUCT,
    Operator.REMAINDER: Precedence.PRODUCT,
    Operator.NEGATE: Precedence.SIGN,
    Operator.INVERT: Precedence.SIGN,
}
_ROUNDED = frozenset({Operator.FLOOR_DIVIDE, Operator.REMAINDER})
_PREFIX = {Operator.NOT: "not ", Operator.NEGATE: "-", Operator.INVERT: "~"}


def precedence(expression: Expression) -> Precedence:
    """The precedence of an expression's outermost construct."""
    match expression:
        case Choice():
            return Precedence.CHOICE
        case Binary() | Unary():
            return _PRECEDENCE[expression.operator]
        case Number():
            return Precedence.NUMBER  # `1.to` is no attribute access
        case Name() | Text() | Attribute() | Call() | Subscript() | List() | Tuple() | Dict():
            return Precedence.PRIMARY
    assert_never(expression)


def _operand_levels(expression: Binary) -> tuple[Precedence, Precedence]:
    """How tightly the left and the right operand must hold together to need no parentheses.

    A quotient that is rounded, or a remainder, has them among other products too, and a remainder
    of a remainder: nobody has to know in which order `a % b * c` goes.
    """
    level = _PRECEDENCE[expression.operator]
    tighter = Precedence(level + 1)
    if level is Precedence.COMPARISON:  # Python chains comparisons
        return tighter, tighter
    left = expression.left
    if (
        level is Precedence.PRODUCT
        and isinstance(left, Binary)
        and left.operator in _ROUNDED
        and (left.operator is not expression.operator or left.operator is Operator.REMAINDER)
    ):
        return tighter, tighter
    return level, tighter


def quoted(value: str) -> str:
    """A string literal, in the quotes that need fewer escapes, which are double ones where it is equal."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f")
    if value.count('"') <= value.count("'"):
        return text
    return "'" + text[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


# --- On one line ----------------------------------------------------------------------------------


def flat(expression: Expression) -> str:
    """The expression on one line."""
    match expression:
        case Name(text=text) | Number(text=text):
            return text
        case Text(value=value):
            return quoted(value)
        case Attribute(value=value, name=name):
            return f"{_flat_at(value, Precedence.PRIMARY)}.{name}"
        case Call(function=function, arguments=arguments, keywords=keywords):
            parts = [flat(argument) for argument in arguments]
            parts += [f"{keyword.name}={flat(keyword.value)}" for keyword in keywords]
            return f"{_flat_at(function, Precedence.PRIMARY)}({', '.join(parts)})"
        case Subscript(value=value, index=index):
            return f"{_flat_at(value, Precedence.PRIMARY)}[{flat(index)}]"
        case Unary(operator=operator, operand=operand):
            return _PREFIX[operator] + _flat_at(operand, _PRECEDENCE[operator])
        case Binary(operator=operator, left=left, right=right):
            left_level, right_level = _operand_levels(expression)
            return f"{_flat_at(left, left_level)} {operator.value} {_flat_at(right, right_level)}"
        case Choice(condition=condition, value=value, other=other):
            return (
                f"{_flat_at(value, Precedence.OR)} if {_flat_at(condition, Precedence.OR)}"
                f" else {flat(other)}"
            )
        case List(elements=elements):
            return f"[{', '.join(flat(element) for element in elements)}]"
        case Tuple(elements=elements):
            return f"({_flat_elements(elements)})"
        case Dict(entries=entries):
            return "{" + ", ".join(f"{flat(key)}: {flat(value)}" for key, value in entries) + "}"
    assert_never(expression)


def _flat_elements(elements: tuple[Expression, ...]) -> str:
    text = ", ".join(flat(element) for element in elements)
    return text + "," if len(elements) == 1 else text


def _flat_at(expression: Expression, level: Precedence) -> str:
    text = flat(expression)
    return text if precedence(expression) >= level else f"({text})"


# --- On several lines -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layout:
    """Makes documents; `gap` is what stands between operands, a possible line break only within brackets."""

    gap: Document

    def at(self, expression: Expression, level: Precedence) -> Document:
        """The document of an operand, in parentheses where it binds less tightly than `level`."""
        if precedence(expression) >= level:
            return self.of(expression)
        return bracketed("(", (_INSIDE.of(expression),), ")")

    def of(self, expression: Expression) -> Document:
        """The document of an expression."""
        match expression:
            case Name() | Number() | Text():
                return flat(expression)
            case Attribute() | Call() | Subscript():
                return Group(tuple(self._primary(expression, is_chain=is_method_chain(expression))))
            case Unary(operator=operator, operand=operand):
                return Group((_PREFIX[operator], self.at(operand, _PRECEDENCE[operator])))
            case Binary():
                return self._operands(expression)
            case Choice():
                return Group(self._choice(expression))
            case List(elements=elements):
                return bracketed("[", _separated([_INSIDE.of(item) for item in elements]), "]")
            case Tuple(elements=(element,)):
                return bracketed("(", (_INSIDE.of(element), ","), ")")
            case Tuple(elements=elements):
                return bracketed("(", _separated([_INSIDE.of(item) for item in elements]), ")")
            case Dict(entries=entries):
                pairs = [Group((f"{flat(key)}: ", _INSIDE.of(value))) for key, value in entries]
                return bracketed("{", _separated(pairs), "}")
        assert_never(expression)

    def _primary(self, expression: Expression, *, is_chain: bool) -> list[Document]:
        """Attributes, calls and subscripts in a row; a chain of methods may break before each that acts on a result."""
        match expression:
            case Attribute(value=value, name=name):
                parts = self._primary(value, is_chain=is_chain)
                if is_chain and _is_on_result(expression) and not isinstance(self.gap, str):
                    parts.append(NOTHING)
                return [*parts, f".{name}"]
            case Call(function=function, arguments=arguments, keywords=keywords):
                values: list[Document] = [
                    *(_INSIDE.of(argument) for argument in arguments),
                    *(
                        Group((f"{keyword.name}=", _INSIDE.of(keyword.value)))
                        for keyword in keywords
                    ),
                ]
                parts = self._primary(function, is_chain=is_chain)
                if not values:
                    return [*parts, "()"]
                return [*parts, bracketed("(", (Group(_separated(values)),), ")")]
            case Subscript(value=value, index=index):
                inner = _INSIDE.of(index)
                return [
                    *self._primary(value, is_chain=is_chain),
                    bracketed("[", (inner,), "]"),
                ]
            case _:
                return [self.at(expression, Precedence.PRIMARY)]

    def _operands(self, expression: Binary) -> Document:
        """The operands of one level of precedence in a row; those of tighter ones are groups within."""
        return Group(tuple(self._row(expression, _same_level(expression))))

    def _row(self, expression: Binary, levels: frozenset[Precedence]) -> list[Document]:
        left, right = (
            self._row(operand, levels)
            if isinstance(operand, Binary) and precedence(operand) in levels and is_bare
            else [self.at(operand, level)]
            for operand, level, is_bare in _operands_of(expression)
        )
        return [*left, self.gap, f"{expression.operator.value} ", *right]

    def _choice(self, choice: Choice) -> tuple[Document, ...]:
        other = choice.other
        rest = self._choice(other) if isinstance(other, Choice) else (self.of(other),)
        return (
            self.at(choice.value, Precedence.OR),
            self.gap,
            "if ",
            self.at(choice.condition, Precedence.OR),
            self.gap,
            "else ",
            *rest,
        )


_INSIDE = _Layout(SPACE)
_OUTSIDE = _Layout(" ")


def _separated(parts: Sequence[Document]) -> tuple[Document, ...]:
    """`parts` with commas; one a line where they are broken, then with a comma behind the last."""
    out: list[Document] = []
    for part in parts:
        if out:
            out += (",", SPACE)
        out.append(part)
    if len(parts) > 1:
        out.append(Trailing(","))
    return tuple(out)


def _is_on_result(attribute: Attribute) -> bool:
    value = attribute.value
    return isinstance(value, Call | Subscript) or precedence(value) < Precedence.PRIMARY


def is_method_chain(expression: Expression) -> bool:
    """Whether at least two attributes are taken of the results of calls, one after the other."""
    count = 0
    while True:
        match expression:
            case Attribute(value=value):
                count += _is_on_result(expression)
                expression = value
            case Call(function=value) | Subscript(value=value):
                expression = value
            case _:
                return count > 1


def print_expression(expression: Expression, *, before: str, behind: str, level: int) -> list[str]:
    """The lines of a statement that starts with `before`, at `level`, and ends in `expression` and `behind`.

    Where one line does not hold it, it breaks within the brackets it starts or ends with, and where there are none or
    that does not help, within parentheses put around it.
    """
    brackets = _brackets(expression)
    text = flat(expression) if brackets is None else brackets.text
    if len(before) + len(text) + len(behind) <= LINE_WIDTH:
        return [f"{before}{text}{behind}"]
    if brackets is not None:
        lines = brackets.broken(before=before, behind=behind, level=level)
        if lines is not None:
            return lines
    document = _OUTSIDE.of(expression)
    if not breaks_by_itself(expression) and not (
        _has_good_brackets(expression, text) and first_line_fits(document, LINE_WIDTH - len(before))
    ):
        document = bracketed("(", (_INSIDE.of(expression),), ")")
    first, *rest = lay_out(
        document, column=len(before), level=level, width=LINE_WIDTH, after=len(behind)
    )
    lines = [before + first, *rest]
    lines[-1] += behind
    return lines


@dataclass(frozen=True, slots=True)
class _Brackets:
    """The elements of a call or a display, each on one line.

    Most expressions that do not fit on one line are such, and this way they are laid out many times
    faster than as documents.
    """

    opening: str
    elements: list[str]
    closing: str

    @property
    def text(self) -> str:
        """All on one line."""
        return f"{self.opening}{', '.join(self.elements)}{self.closing}"

    def broken(self, *, before: str, behind: str, level: int) -> list[str] | None:
        """What the document comes to; None where an element must break itself."""
        indent = INDENT * (level + 1)
        first = before + self.opening
        last = f"{INDENT * level}{self.closing}{behind}"
        if self.closing == ")":
            one_line = f"{indent}{', '.join(self.elements)}"
            if len(one_line) <= LINE_WIDTH >= len(first):
                return [first, one_line, last]
        lines = [first, *(f"{indent}{element}," for element in self.elements)]
        if len(self.elements) < 2 or any(len(line) > LINE_WIDTH for line in lines):
            return None
        return [*lines, last]


def _brackets(expression: Expression) -> _Brackets | None:
    """An expression that is one pair of brackets behind a name, taken apart."""
    match expression:
        case Call(function=(Name() | Attribute(value=Name())) as function):
            elements = [flat(argument) for argument in expression.arguments]
            elements += [f"{it.name}={flat(it.value)}" for it in expression.keywords]
            return _Brackets(f"{flat(function)}(", elements, ")")
        case List(elements=items):
            return _Brackets("[", [flat(item) for item in items], "]")
        case Dict(entries=entries):
            pairs = [f"{flat(key)}: {flat(value)}" for key, value in entries]
            return _Brackets("{", pairs, "}")
        case _:
            return None


def breaks_by_itself(expression: Expression) -> bool:
    """Whether the expression is one pair of brackets with what is before it, or cannot break at all."""
    match expression:
        case Attribute() | Call() | Subscript():
            return not is_method_chain(expression)
        case List() | Tuple() | Dict() | Name() | Number() | Text():
            return True
        case Unary() | Binary() | Choice():
            return False
    assert_never(expression)


def _has_good_brackets(expression: Expression, text: str) -> bool:
    """Whether the brackets that an operation starts or ends with are a better place to break it than its operators.

    They are where it has one operator of its loosest level only.
    """
    if isinstance(expression, Choice) or is_method_chain(expression):
        return False
    starts = text.startswith(("(", "[")) and not text.startswith("[]")
    ends = text.endswith((")", "]")) and not text.endswith(("()", "[]"))
    operation: Expression = expression
    while isinstance(operation, Unary):
        is_bare = precedence(operation.operand) >= _PRECEDENCE[operation.operator]
        operation = operation.operand if is_bare else Name("")
    return (starts or ends) and _loosest_count(operation) <= 1


def _loosest_count(expression: Expression) -> int:
    """How many operators of the loosest level stand outside all parentheses."""
    if not isinstance(expression, Binary):
        return 0
    levels = _same_level(expression)
    return 1 + sum(
        _loosest_count(operand)
        for operand, _, is_bare in _operands_of(expression)
        if is_bare and precedence(operand) in levels
    )


def _same_level(expression: Binary) -> frozenset[Precedence]:
    """The levels that break together with an operation: its own; `and` and `or` count as one."""
    level = _PRECEDENCE[expression.operator]
    return _LOGICAL if level in _LOGICAL else frozenset({level})


_LOGICAL = frozenset({Precedence.OR, Precedence.AND})


def _operands_of(
    expression: Binary,
) -> tuple[tuple[Expression, Precedence, bool], tuple[Expression, Precedence, bool]]:
    """The operands, each with the level it needs to stand bare and whether it does."""
    left_level, right_level = _operand_levels(expression)
    left, right = expression.left, expression.right
    return (
        (left, left_level, precedence(left) >= left_level),
        (right, right_level, precedence(right) >= right_level),
    )
