"""Which expressions have one value, and integers as polynomials.

An integer is a sum of products of *atoms*: parameters, const generics, program ids, lanes of an `arange`, variables of
loops, and whatever is no sum or product. Two integers are known to be equal where their polynomials are; offsets,
masks and strides are compared as polynomials. Arithmetic is that of unbounded integers: what wraps is the affair of
whoever asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.flow import Bound, Carried, Definition, Flow, Given, Updated
from transpiler.analysis.polynomial import (
    ARITHMETIC,
    MOST_TERMS,
    Atom,
    LaneAtom,
    OpaqueAtom,
    Polynomial,
    ProgramAtom,
    SymbolAtom,
    VariableAtom,
    combined,
    constant,
    made_of,
)
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Scalar, Tensor
from transpiler.ops.model import Effect, ShapeExpanded, ShapeInterval

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator


_COMMUTATIVE = frozenset(
    {
        ir.BinaryOperator.ADD,
        ir.BinaryOperator.MULTIPLY,
        ir.BinaryOperator.BIT_AND,
        ir.BinaryOperator.BIT_OR,
        ir.BinaryOperator.EQUAL,
    }
)


class Values:
    """Keys and polynomials of the expressions of one kernel; each is computed once."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.atoms: list[Atom] = []
        self.expressions: dict[int, ir.Expression] = {}
        """An expression for each key of an opaque atom."""
        self._indices: dict[Atom, int] = {}
        self._keys: dict[Hashable, int] = {}
        self._key_of: dict[int, int] = {}
        self._polynomial_of: dict[int, Polynomial] = {}

    def atom(self, atom: Atom) -> int:
        """The index of an atom."""
        index = self._indices.get(atom)
        if index is None:
            index = self._indices[atom] = len(self.atoms)
            self.atoms.append(atom)
        return index

    def atoms_of(self, polynomial: Polynomial) -> Iterator[Atom]:
        """The atoms of a polynomial."""
        for index in polynomial.atoms:
            yield self.atoms[index]

    def lanes(self, polynomial: Polynomial) -> frozenset[int]:
        """The dimensions along which it is known to vary."""
        return frozenset(
            atom.dimension for atom in self.atoms_of(polynomial) if isinstance(atom, LaneAtom)
        )

    def value(self, node: ir.Expression) -> ir.Expression:
        """What the names an expression consists of stand for, as far as one definition says so."""
        while True:
            match node:
                case ir.Read():
                    definition = self.flow.definition(node)
                    if not isinstance(definition, Bound):
                        return node
                    node = definition.value
                case ir.BlockValue(value=value):
                    node = value
                case _:
                    return node

    # --- Keys -------------------------------------------------------------------------------------

    def key(self, node: ir.Expression) -> int:
        """A number that two expressions share if they are known to have one value."""
        known = self._key_of.get(id(node))
        if known is None:
            known = self._key_of[id(node)] = self._intern(self._structure(node))
            self.expressions.setdefault(known, node)
        return known

    def _intern(self, structure: Hashable) -> int:
        return self._keys.setdefault(structure, len(self._keys))

    def _structure(self, node: ir.Expression) -> Hashable:
        if is_integer(node):
            return self.polynomial(node)
        return self._shallow(node)

    def _shallow(self, node: ir.Expression) -> Hashable:
        """What an expression is made of, by the keys of its parts."""
        match node:
            case ir.Literal():
                return ("literal", node.value)
            case ir.Read():
                definition = self.flow.definition(node)
                return self.definition_key(definition)
            case ir.BlockValue():
                return ("same", self.key(node.value))
            case ir.Unary():
                return (node.operator, self.key(node.operand))
            case ir.Binary():
                return self._binary(node.operator, node.left, node.right)
            case ir.Cast():
                dtype = node.type.dtype if isinstance(node.type, Scalar | Tensor) else None
                return ("cast", node.kind, dtype, self.key(node.operand))
            case ir.TupleElement():
                return ("element", node.index, self.key(node.operand))
            case ir.OffsetPointer():
                return ("pointer", self.key(node.pointer), self.key(node.offsets))
            case ir.OpCall() if node.op.effect is Effect.PURE:
                if node.op.operator is not None:
                    left, right = operands(node)[:2]
                    return self._binary(node.op.operator, left, right)
                return (node.op.name, node.dtypes, *map(self._argument, node.arguments))
            case ir.Call() if not node.function.effects:
                parts = (*node.arguments, *node.constants)
                return (node.function, node.dtypes, *map(self.key, parts))
            case _:
                return ("only", id(node))

    def definition_key(self, definition: Definition) -> Hashable:
        """What stands for the value of a definition in keys."""
        match definition:
            case Bound(value=value):
                return ("same", self.key(value))
            case Updated():
                previous = self._intern(self.definition_key(definition.previous))
                return (definition.operator, previous, self.key(definition.value))
            case Given(symbol=symbol):
                return ("symbol", symbol)
            case _:
                return ("definition", definition)

    def _binary(
        self, operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression
    ) -> Hashable:
        first, second = self.key(left), self.key(right)
        if operator in _COMMUTATIVE and second < first:
            first, second = second, first
        return (operator, first, second)

    def _argument(self, node: ir.Argument) -> Hashable:
        match node:
            case ir.AbsentArgument():
                return None
            case ir.ListArgument():
                return tuple(self.key(element) for element in node.elements)
            case ir.EnumArgument():
                return (node.enum, node.member)
            case ir.FlagArgument():
                return node.value
            case ir.TextArgument():
                return node.value
            case ir.FunctionArgument():
                return node.function
            case _:
                return self.key(node)

    # --- Polynomials ------------------------------------------------------------------------------

    def polynomial(self, node: ir.Expression) -> Polynomial:
        """An integer as a polynomial."""
        known = self._polynomial_of.get(id(node))
        if known is None:
            found = self._computed(node)
            known = self.opaque(node) if found is None or len(found.terms) > MOST_TERMS else found
            self._polynomial_of[id(node)] = known
        return known

    def opaque(self, node: ir.Expression) -> Polynomial:
        """The expression as one atom."""
        key = self._intern(("opaque", self._shallow(node)))
        self.expressions.setdefault(key, node)
        return self._single(OpaqueAtom(key))

    def _single(self, atom: Atom) -> Polynomial:
        return Polynomial((((self.atom(atom),), 1),))

    def _computed(self, node: ir.Expression) -> Polynomial | None:
        match node:
            case ir.Literal(value=value):
                return constant(int(value))
            case ir.Read():
                return self._defined(self.flow.definition(node), is_tile(node))
            case ir.BlockValue(value=value):
                return self.polynomial(value)
            case ir.Unary(operator=ir.UnaryOperator.NEGATE, operand=operand):
                return -self.polynomial(operand)
            case ir.Binary():
                return self._arithmetic(node.operator, node.left, node.right)
            case ir.Cast(operand=operand) if is_integer(operand):
                return self.polynomial(operand)
            case ir.OpCall():
                return self._call(node)
            case _:
                return None

    def of_definition(self, definition: Definition, *, is_tile: bool) -> Polynomial:
        """What a definition makes of a variable, an integer."""
        found = self._defined(definition, is_tile)
        return self._single(VariableAtom(definition, is_tile)) if found is None else found

    def _defined(self, definition: Definition, is_tile_: bool) -> Polynomial | None:  # noqa: FBT001 - one of two facts
        while isinstance(definition, Carried) and definition.is_invariant:
            definition = definition.initial
        match definition:
            case Bound(value=value):
                return self.polynomial(value)
            case Given(symbol=symbol):
                return self._single(SymbolAtom(symbol))
            case Updated():
                previous = self._defined(definition.previous, is_tile_)
                after = (
                    None
                    if previous is None
                    else combined(definition.operator, previous, self.polynomial(definition.value))
                )
                return after or self._single(VariableAtom(definition, is_tile_))
            case _:
                return self._single(VariableAtom(definition, is_tile_))

    def _arithmetic(
        self, operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression
    ) -> Polynomial | None:
        if operator not in ARITHMETIC:
            return None
        return combined(operator, self.polynomial(left), self.polynomial(right))

    def _call(self, node: ir.OpCall) -> Polynomial | None:
        op = node.op
        if op.is_program_id:
            axis = node.arguments[0]
            return (
                self._single(ProgramAtom(axis.member))
                if isinstance(axis, ir.EnumArgument)
                else None
            )
        if isinstance(op.shape, ShapeInterval):
            start, end = self.polynomial(value_of(node, 0)), self.polynomial(value_of(node, 1))
            extent = end - start
            if extent.constant == 1:
                return start
            return start + self._single(LaneAtom(-1, extent))
        if op.copies:
            return self._copied(node)
        if op.value is not None and not operands(node):
            return constant(int(op.value()))
        return None

    def _copied(self, node: ir.OpCall) -> Polynomial | None:
        source = copied(node)
        if source is None or not is_integer(source):
            return None
        result = self.polynomial(source)
        dimension = added_dimension(node)
        return result if dimension is None else self.moved(result, dimension)

    def moved(self, polynomial: Polynomial, dimension: int) -> Polynomial | None:
        """The polynomial in a tile with a dimension more; None where it is not known how an atom varies."""
        if dimension == 0:
            return None
        renamed: dict[int, int] = {}
        for index in polynomial.atoms:
            match self.atoms[index]:
                case LaneAtom(dimension=lane, extent=extent) if lane <= dimension:
                    renamed[index] = self.atom(LaneAtom(lane - 1, extent))
                case OpaqueAtom(key=key) if is_tile(self.expressions[key]):
                    return None
                case VariableAtom(is_tile=True):
                    return None
                case _:
                    pass
        return self.renamed(polynomial, renamed)

    def renamed(self, polynomial: Polynomial, names: dict[int, int]) -> Polynomial:
        """The polynomial with other atoms in place of some."""
        if not names:
            return polynomial
        return made_of(
            {
                tuple(sorted(names.get(index, index) for index in product)): factor
                for product, factor in polynomial.terms
            }
        )


# --- Questions about one expression ---------------------------------------------------------------


def is_read(node: ir.Expression, symbol: ir.Symbol) -> bool:
    """Whether an expression is the value of a symbol."""
    return isinstance(node, ir.Read) and node.symbol == symbol


def is_integer(node: ir.Expression) -> bool:
    """Whether an expression is an integer or a tile of them."""
    if not isinstance(node.type, Scalar | Tensor):
        return False
    dtype = node.type.dtype
    return dtype.is_integer if isinstance(dtype, DType | DtypeParameter) else False


def is_float(node: ir.Expression) -> bool:
    """Whether an expression is a float or a tile of them, whatever its dtype parameter stands for."""
    if not isinstance(node.type, Scalar | Tensor):
        return False
    dtype = node.type.dtype
    return dtype.is_float if isinstance(dtype, DType | DtypeParameter) else False


def is_tile(node: ir.Expression) -> bool:
    """Whether an expression has dimensions."""
    return isinstance(node.type, Tensor) and bool(node.type.shape)


def operands(node: ir.OpCall) -> list[ir.Expression]:
    """The arguments of a call that are values."""
    return [argument for argument in node.arguments if not isinstance(argument, ir.PLAIN_ARGUMENTS)]


def value_of(node: ir.OpCall, index: int) -> ir.Expression:
    """An argument that is a value by its signature."""
    argument = node.arguments[index]
    if isinstance(argument, ir.PLAIN_ARGUMENTS):
        raise TypeError(f"argument {index} of {node.op.name} is no value")
    return argument


def named_argument(node: ir.OpCall, name: str) -> ir.Argument | None:
    """The argument of that name, None where there is none or `None` is passed."""
    for parameter, argument in zip(node.op.parsed.parameters, node.arguments, strict=True):
        if parameter.name == name and not isinstance(argument, ir.AbsentArgument):
            return argument
    return None


def named_value(node: ir.OpCall, *names: str) -> ir.Expression | None:
    """The argument of the first of the names that is there, if it is a value."""
    for name in names:
        argument = named_argument(node, name)
        if argument is not None and not isinstance(argument, ir.PLAIN_ARGUMENTS):
            return argument
    return None


def copied(node: ir.OpCall) -> ir.Expression | None:
    """Whose elements the result holds; None where it reinterprets their bits."""
    if any(isinstance(argument, ir.FlagArgument) and argument.value for argument in node.arguments):
        return None
    return named_value(node, node.op.copies)


def added_dimension(node: ir.OpCall) -> int | None:
    """Which dimension of the result, counted from the last, its argument does not have; 0 where that is not known."""
    if not isinstance(node.op.shape, ShapeExpanded) or not isinstance(node.type, Tensor):
        return None
    axis = named_argument(node, node.op.shape.axis)
    if not isinstance(axis, ir.Literal):
        match axis:
            case ir.Unary(operator=ir.UnaryOperator.NEGATE, operand=ir.Literal(value=value)):
                return -int(value)
            case _:
                return 0
    place = int(axis.value)
    return place if place < 0 else place - len(node.type.shape)
