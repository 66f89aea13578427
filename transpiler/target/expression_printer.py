"""Prints expressions: parentheses by precedence, and a layout where they do not fit on one line."""

from __future__ import annotations

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
from transpiler.target.flat import (
    PRECEDENCE,
    PREFIX,
    Precedence,
    flat,
    is_generator,
    lambda_head,
    operand_levels,
    precedence,
)
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
    Rows,
    Slice,
    Starred,
    Subscript,
    Text,
    Tuple,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_WIDTH = 100


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
                return Group((PREFIX[operator], self.at(operand, PRECEDENCE[operator])))
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
            case Comprehension(is_list=is_list):
                parts = self._comprehension(expression)
                return bracketed("[", parts, "]") if is_list else bracketed("(", parts, ")")
            case Lambda(parameters=parameters, body=body):
                return Group((lambda_head(parameters), " ", self.of(body)))
            case Starred(value=value):
                return Group(("*", self.at(value, Precedence.BIT_OR)))
            case Slice() | Rows():
                return flat(expression)
        assert_never(expression)

    def _comprehension(self, expression: Comprehension) -> tuple[Document, ...]:
        """The element, then each clause and condition, on lines of their own where they do not fit on one."""
        parts: list[Document] = [_INSIDE.of(expression.element)]
        for clause in expression.clauses:
            parts += (SPACE, f"for {clause.target} in ", _INSIDE.at(clause.iterable, Precedence.OR))
            for condition in clause.conditions:
                parts += (SPACE, "if ", _INSIDE.at(condition, Precedence.OR))
        return tuple(parts)

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
                if len(values) == 1 and arguments and is_generator(arguments[0]):
                    return [*parts, *values]
                return [*parts, bracketed("(", (Group(_separated(values)),), ")")]
            case Subscript(value=value, index=index):
                inner: tuple[Document, ...] = (_INSIDE.of(index),)
                if isinstance(index, Tuple) and len(index.elements) > 1:
                    inner = _separated([_INSIDE.of(it) for it in index.elements])
                return [*self._primary(value, is_chain=is_chain), bracketed("[", inner, "]")]
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
        case Call(arguments=(Comprehension(),), keywords=()):
            return None
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
        case List() | Tuple() | Dict() | Name() | Number() | Text() | Comprehension() | Rows():
            return True
        case Unary() | Binary() | Choice() | Lambda() | Slice() | Starred():
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
        is_bare = precedence(operation.operand) >= PRECEDENCE[operation.operator]
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
    level = PRECEDENCE[expression.operator]
    return _LOGICAL if level in _LOGICAL else frozenset({level})


_LOGICAL = frozenset({Precedence.OR, Precedence.AND})


def _operands_of(
    expression: Binary,
) -> tuple[tuple[Expression, Precedence, bool], tuple[Expression, Precedence, bool]]:
    """The operands, each with the level it needs to stand bare and whether it does."""
    left_level, right_level = operand_levels(expression)
    left, right = expression.left, expression.right
    return (
        (left, left_level, precedence(left) >= left_level),
        (right, right_level, precedence(right) >= right_level),
    )
