"""Prints an expression on one line, with the parentheses it needs and no more."""

from __future__ import annotations

from enum import IntEnum
from json import JSONEncoder
from typing import assert_never

from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Comprehension,
    Dict,
    Expression,
    Lambda,
    List,
    Name,
    Number,
    Operator,
    Rows,
    Slice,
    Starred,
    Subscript,
    Text,
    Tuple,
    Unary,
)


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


PRECEDENCE = {
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
    Operator.IN: Precedence.COMPARISON,
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
PREFIX = {Operator.NOT: "not ", Operator.NEGATE: "-", Operator.INVERT: "~"}


def precedence(expression: Expression) -> Precedence:
    """The precedence of an expression's outermost construct."""
    match expression:
        case Choice() | Lambda():
            return Precedence.CHOICE
        case Starred() | Slice():
            return Precedence.OR  # where they stand, they need no parentheses
        case Comprehension() | Rows():
            return Precedence.PRIMARY
        case Binary() | Unary():
            return PRECEDENCE[expression.operator]
        case Number():
            return Precedence.NUMBER  # `1.to` is no attribute access
        case Name() | Text() | Attribute() | Call() | Subscript() | List() | Tuple() | Dict():
            return Precedence.PRIMARY
    assert_never(expression)


def operand_levels(expression: Binary) -> tuple[Precedence, Precedence]:
    """How tightly the left and the right operand must hold together to need no parentheses.

    A quotient that is rounded, or a remainder, has them among other products too, and a remainder
    of a remainder: nobody has to know in which order `a % b * c` goes.
    """
    level = PRECEDENCE[expression.operator]
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


_ENCODED = JSONEncoder(ensure_ascii=False).encode


def quoted(value: str) -> str:
    """A string literal, in the quotes that need fewer escapes, which are double ones where it is equal."""
    text = _ENCODED(value).replace("\x7f", "\\x7f")
    if value.count('"') <= value.count("'"):
        return text
    return "'" + text[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def flat(expression: Expression) -> str:  # noqa: C901 - one case a node
    """The expression on one line."""
    match expression:
        case Name(text=text) | Number(text=text):
            return text
        case Text(value=value):
            return quoted(value)
        case Attribute(value=value, name=name):
            return f"{flat_at(value, Precedence.PRIMARY)}.{name}"
        case Call(function=function, arguments=arguments, keywords=keywords):
            parts = [flat(argument) for argument in arguments]
            parts += [f"{keyword.name}={flat(keyword.value)}" for keyword in keywords]
            if len(parts) == 1 and arguments and is_generator(arguments[0]):
                return f"{flat_at(function, Precedence.PRIMARY)}{parts[0]}"
            return f"{flat_at(function, Precedence.PRIMARY)}({', '.join(parts)})"
        case Subscript(value=value, index=Tuple(elements=(_, _, *_) as elements)):
            return f"{flat_at(value, Precedence.PRIMARY)}[{flat_elements(elements)}]"
        case Subscript(value=value, index=index):
            return f"{flat_at(value, Precedence.PRIMARY)}[{flat(index)}]"
        case Unary(operator=operator, operand=operand):
            return PREFIX[operator] + flat_at(operand, PRECEDENCE[operator])
        case Binary(operator=operator, left=left, right=right):
            left_level, right_level = operand_levels(expression)
            return f"{flat_at(left, left_level)} {operator.value} {flat_at(right, right_level)}"
        case Choice(condition=condition, value=value, other=other):
            return (
                f"{flat_at(value, Precedence.OR)} if {flat_at(condition, Precedence.OR)}"
                f" else {flat(other)}"
            )
        case List(elements=elements):
            return f"[{', '.join(flat(element) for element in elements)}]"
        case Tuple(elements=elements):
            return f"({flat_elements(elements)})"
        case Dict(entries=entries):
            return "{" + ", ".join(f"{flat(key)}: {flat(value)}" for key, value in entries) + "}"
        case Slice(start=start, stop=stop, step=step):
            texts = ["" if part is None else flat(part) for part in (start, stop, step)]
            return ":".join(texts if step is not None else texts[:2])
        case Starred(value=value):
            return f"*{flat_at(value, Precedence.BIT_OR)}"
        case Comprehension(is_list=is_list):
            text = _flat_comprehension(expression)
            return f"[{text}]" if is_list else f"({text})"
        case Lambda(parameters=parameters, body=body):
            return f"{lambda_head(parameters)} {flat(body)}"
        case Rows(rows=rows):
            return f"({flat_elements(tuple([row.value for row in rows]))})"
    assert_never(expression)


def is_generator(expression: Expression) -> bool:
    """Whether it is a comprehension that needs no brackets as an only argument."""
    return isinstance(expression, Comprehension) and not expression.is_list


def lambda_head(parameters: tuple[str, ...]) -> str:
    """What stands before the body of a lambda."""
    return f"lambda {', '.join(parameters)}:" if parameters else "lambda:"


def _flat_comprehension(expression: Comprehension) -> str:
    text = flat(expression.element)
    for clause in expression.clauses:
        text += f" for {clause.target} in {flat_at(clause.iterable, Precedence.OR)}"
        for condition in clause.conditions:
            text += f" if {flat_at(condition, Precedence.OR)}"
    return text


def flat_elements(elements: tuple[Expression, ...]) -> str:
    """The elements of a tuple without its parentheses."""
    text = ", ".join(flat(element) for element in elements)
    return text + "," if len(elements) == 1 else text


def flat_at(expression: Expression, level: Precedence) -> str:
    """The expression where one of that precedence has to stand."""
    text = flat(expression)
    return text if precedence(expression) >= level else f"({text})"
