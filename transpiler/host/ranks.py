"""How many dimensions the tensors of an operator have to have, by what its methods read of their shapes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeAlias, assert_never

from transpiler.host.trait import PARAMETERS
from transpiler.host.types import BOOL, PHANTOM, TEXT, Structure, is_float, resolved
from transpiler.target.model import (
    Assignment,
    Attribute,
    Binary,
    Break,
    Call,
    Choice,
    Clause,
    Continue,
    Definition,
    Evaluation,
    Expression,
    For,
    If,
    Keyword,
    Lambda,
    Name,
    Number,
    Operator,
    Raise,
    Return,
    Row,
    Subscript,
    Suite,
    While,
)
from transpiler.target.read_names import names_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.host.types import HostType
    from transpiler.target.model import Function, Statement

Source: TypeAlias = int | str
"""Whose shape it is: the place of an input, or the name of the output's."""

_OUTPUT = "output"
_SHAPES = frozenset({"output_shape", "shape"})
_HOLDERS = _SHAPES | {
    "grad_output_row_stride",
    "input_shapes",
    "inputs",
    "output_row_stride",
}
"""The parameters that are made of shapes, the strides of rows of the last extent."""


def ranks_of(
    methods: Mapping[str, Function], inputs: int, *, is_like_input: bool
) -> tuple[int | None, ...]:
    """How many dimensions each input has to have, None where any number will do or it is not known.

    It is known where the methods read certain extents of one shape and of no other: they then have all they know of
    sizes from these, and the elements of further dimensions would be left out. Whoever reads a second shape, or one as
    a whole, may have the rest from there.

    Args:
        methods: those of the trait by their names; what else they have sizes from is the caller's to exclude.
        inputs: how many there are.
        is_like_input: whether the output has the shape of the first input.
    """
    reads = _Reads()
    for name, function in methods.items():
        reads.function(name, function)
    if reads.is_any:
        return (None,) * inputs
    read: dict[Source, int] = {}
    for source, index in reads.found:
        owner = 0 if source == _OUTPUT and is_like_input else source
        read[owner] = max(read.get(owner, 0), index + 1)
    if len(read) != 1:
        return (None,) * inputs
    return tuple(read.get(place) for place in range(inputs))


def may_hold_sizes(type_: HostType) -> bool:
    """Whether a field of this type may hold a size, unlike a factor or a flag."""
    found = resolved(type_)
    return not (
        found in {BOOL, PHANTOM, TEXT}
        or is_float(found)
        or (isinstance(found, Structure) and found.is_kernel)
    )


class _Reads:
    """The reads of shapes at certain indices.

    `is_any` is whether a shape is read otherwise: as a whole, which may be to ask for its length, at an index that is
    computed, or under a condition.
    """

    def __init__(self) -> None:
        self.found: set[tuple[Source, int]] = set()
        self.is_any = False
        self._names: dict[str, Expression] = {}
        self._roles: dict[str, str] = {}

    def function(self, name: str, function: Function) -> None:
        """Note what a method of the trait reads."""
        own = [it.name for it in function.parameters if it.name != "self"]
        self._roles = dict(zip(own, PARAMETERS[name], strict=False))
        self._names = {}
        self._suite(function.body)

    def _suite(self, suite: Suite) -> None:
        for statement in suite.statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Assignment(targets=(name,), value=value, operator=None) if self._is_alias(value):
                # By another name that is bound twice it could be either.
                self.is_any |= name in self._names or name in self._roles
                self._names[name] = value
            case Assignment(targets=targets, value=value):
                self.is_any |= not self._names.keys().isdisjoint(targets)
                self._expression(value)
            case Evaluation(value=value):
                self._expression(value)
            case Return(value=value):
                if value is not None:
                    self._expression(value)
            case Raise() | Break() | Continue():
                pass
            case If() | While() | For() | Definition():
                # Whether and how often it is read is not known.
                self._conditionally(statement)
            case _:
                assert_never(statement)

    def _is_alias(self, value: Expression) -> bool:
        return self._source(value) is not None or self._tensor(value) is not None

    def _conditionally(self, statement: Statement) -> None:
        names = names_read(Suite(statements=(statement,)))
        self.is_any |= not names.isdisjoint(self._shapes())

    def _shapes(self) -> set[str]:
        """The names of what a shape is, or is part of."""
        own = {name for name, role in self._roles.items() if role in _HOLDERS}
        return own | self._names.keys()

    def _expression(self, node: Expression) -> None:
        match node:
            case Subscript(value=value, index=Number(text=text)) if (
                text.isdigit() and (source := self._source(value)) is not None
            ):
                self.found.add((source, int(text)))
            case Call(function=Attribute(value=Name(text="self"), name=method)) if (
                method in PARAMETERS
            ):
                # What the other method reads of what it is given is noted there.
                for role, argument in zip(PARAMETERS[method], node.arguments, strict=False):
                    if not (isinstance(argument, Name) and self._roles.get(argument.text) == role):
                        self._expression(argument)
            case Choice() | Lambda() | Binary(operator=Operator.AND | Operator.OR):
                self._conditionally(Evaluation(value=node))
            case Name(text=text):
                self.is_any |= text in self._shapes() and self._tensor(node) is None
            case Attribute(name="shape"):
                self.is_any = True
            case _ if self._tensor(node) is not None:
                pass
            case _:
                for part in _parts(node):
                    self._expression(part)

    def _source(self, node: Expression) -> Source | None:
        """Whose shape it is, if it is one."""
        match node:
            case Name(text=text) if text in self._names:
                return self._source(self._names[text])
            case Name(text=text) if self._roles.get(text) in _SHAPES:
                return _OUTPUT
            case Attribute(value=value, name="shape"):
                return self._tensor(value)
            case Subscript(value=Name(text=text), index=Number(text=place)) if (
                self._roles.get(text) == "input_shapes" and place.isdigit()
            ):
                return int(place)
            case _:
                return None

    def _tensor(self, node: Expression) -> int | None:
        """The place of the input that it is, if it is one."""
        match node:
            case Name(text=text) if text in self._names:
                return self._tensor(self._names[text])
            case Subscript(value=Name(text=text), index=Number(text=place)) if (
                self._roles.get(text) == "inputs" and place.isdigit()
            ):
                return int(place)
            case _:
                return None


def _parts(node: Expression | Clause | Keyword | Row) -> Iterator[Expression]:
    """The expressions that a node is made of."""
    for it in fields(node):
        yield from _expressions(getattr(node, it.name))


def _expressions(value: object) -> Iterator[Expression]:
    if isinstance(value, tuple):
        for each in value:
            yield from _expressions(each)
    elif isinstance(value, Clause | Keyword | Row):
        yield from _parts(value)
    elif isinstance(value, Expression):
        yield value
