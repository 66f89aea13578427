"""Values of host code: their types, and the Python that computes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.types import DType
from transpiler.passes.rounding import round_to
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Clause,
    Comprehension,
    Expression,
    Keyword,
    List,
    Name,
    Number,
    Operator,
    Slice,
    Starred,
    Subscript,
    Text,
    Tuple,
    Unary,
    dotted,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.host.types import HostType
    from transpiler.syntax import nodes as syntax

NONE = Name("None")


class Origin(NamedTuple):
    """What a pointer points to: a role such as `inputs` or `output`, and its place among those; None for any."""

    role: str
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Maybe:
    """An option: `value` where `condition` holds."""

    condition: Expression
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """An iterator: `element` for each `target` of `source` where the conditions hold.

    Without a target, the elements are those of `source`. `is_sequence` tells that it has a length and can be indexed.
    """

    source: Expression
    item: Value | None = None
    target: str | None = None
    conditions: tuple[Expression, ...] = ()
    is_sequence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value: its type, its Python, and what is known of it.

    `low` is the least an integer can be, if it is known. `field` names the field of `self` that it is. `origins` are
    what a pointer or an input may point to, `elements` those of a list that was written out. Options, iterators and
    closures may be in a form that no Python is chosen for yet.
    """

    type: HostType
    expression: Expression = NONE
    low: int | None = None
    field: str | None = None
    origins: frozenset[Origin] = frozenset()
    elements: tuple[Value, ...] | None = None
    maybe: Maybe | None = None
    stream: Stream | None = None
    closure: syntax.Closure | None = None

    def typed(self, type_: HostType) -> Value:
        """The value as one of another type."""
        return replace(self, type=type_)


def constant_of(expression: Expression) -> int | None:
    """The number that an integer literal is."""
    return (
        int(expression.text)
        if isinstance(expression, Number) and expression.text.isdigit()
        else None
    )


def is_simple(expression: Expression) -> bool:
    """Whether it may be written twice: it costs little, and does nothing."""
    match expression:
        case Name() | Number() | Text():
            return True
        case Attribute(value=value) | Subscript(value=value, index=Number() | Name()):
            return is_simple(value)
        case Subscript(value=value, index=Unary(operand=Number())):
            return is_simple(value)
        case Call(function=Name(text="len"), arguments=(value,)):
            return is_simple(value)
        case _:
            return False


def is_single(expression: Expression) -> bool:
    """Whether a float is sure to be a number of single precision."""
    match expression:
        case Number(text=text):
            return round_to(float(text), DType.F32) == float(text)
        case Unary(operator=Operator.NEGATE, operand=operand):
            return is_single(operand)
        case Call(function=Name(text="_single")):
            return True
        case Call(function=Name(text="abs" | "min" | "max" | "float"), arguments=arguments):
            return all(map(is_single, arguments))
        case Call(function=Attribute(value=Name(text="math"), name=name), arguments=arguments):
            # What these give is in the precision of what they are given.
            return name in {"ceil", "floor", "trunc", "fmod"} and all(map(is_single, arguments))
        case _:
            return False


# --- Python in short ------------------------------------------------------------------------------


def number(value: int) -> Expression:
    """An integer."""
    return Unary(Operator.NEGATE, Number(str(-value))) if value < 0 else Number(str(value))


def call(function: str, *arguments: Expression, **keywords: Expression) -> Expression:
    """`function(arguments, keywords)`."""
    named = tuple(Keyword(name, value) for name, value in keywords.items())
    return Call(dotted(function), arguments, named)


def method(value: Expression, name: str, *arguments: Expression) -> Expression:
    """`value.name(arguments)`."""
    return Call(Attribute(value, name), arguments)


def length(sequence: Expression) -> Expression:
    """`len(sequence)`."""
    return call("len", sequence)


def element(sequence: Expression, index: int) -> Expression:
    """`sequence[index]`."""
    return Subscript(sequence, number(index))


def sliced(
    sequence: Expression, start: Expression | None = None, stop: Expression | None = None
) -> Expression:
    """`sequence[start:stop]`."""
    return Subscript(sequence, Slice(start, stop))


_OPPOSITES = {
    Operator.LESS: Operator.GREATER_EQUAL,
    Operator.GREATER_EQUAL: Operator.LESS,
    Operator.GREATER: Operator.LESS_EQUAL,
    Operator.LESS_EQUAL: Operator.GREATER,
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.NOT_EQUAL: Operator.EQUAL,
    Operator.IS: Operator.IS_NOT,
    Operator.IS_NOT: Operator.IS,
}


def negated(condition: Expression, *, is_float: bool = False) -> Expression:
    """The opposite of a condition; of floats, one that does not hold has no opposite comparison."""
    match condition:
        case Unary(operator=Operator.NOT, operand=operand):
            return operand
        case Binary(operator=operator, left=left, right=right) if (
            operator in _OPPOSITES and not is_float
        ):
            return Binary(_OPPOSITES[operator], left, right)
        case Name(text="True"):
            return Name("False")
        case Name(text="False"):
            return Name("True")
        case _:
            return Unary(Operator.NOT, condition)


def conjunction(*conditions: Expression) -> Expression:
    """All of the conditions."""
    left = [each for each in conditions if each != Name("True")]
    if not left:
        return Name("True")
    result = left[0]
    for each in left[1:]:
        result = Binary(Operator.AND, result, each)
    return result


def choice(condition: Expression, value: Expression, other: Expression) -> Expression:
    """`value if condition else other`."""
    if condition == Name("True") or value == other:
        return value
    if condition == Name("False"):
        return other
    return Choice(condition, value, other)


def iterable(stream: Stream) -> Expression:
    """What a `for` runs through."""
    if stream.target is None or stream.item is None:
        return stream.source
    clause = Clause(stream.target, stream.source, stream.conditions)
    if not stream.conditions and stream.item.expression == Name(stream.target):
        return stream.source
    return Comprehension(stream.item.expression, (clause,))


def listed(stream: Stream) -> Expression:
    """The list of all elements."""
    found = iterable(stream)
    if isinstance(found, Comprehension):
        return replace(found, is_list=True)
    return call("list", found)


def joined(*parts: Expression) -> Expression:
    """One list of the elements of several."""
    return List(tuple(Starred(part) for part in parts))


def pair(*elements: Expression) -> Expression:
    """A tuple."""
    return Tuple(elements)
