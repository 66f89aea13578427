"""Where the symbols of a kernel are read, and which of them must be compile-time constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.frozen import dataclass
from transpiler.ir.nodes import (
    PLAIN_ARGUMENTS,
    AbsentArgument,
    Argument,
    Assign,
    Binary,
    Block,
    BlockValue,
    Break,
    Call,
    Cast,
    Conditional,
    Continue,
    Declare,
    EnumArgument,
    Evaluate,
    Expression,
    FlagArgument,
    For,
    FunctionArgument,
    If,
    Let,
    LetTuple,
    ListArgument,
    Literal,
    OffsetPointer,
    OpCall,
    Read,
    Return,
    Routine,
    Statement,
    Symbol,
    SymbolKind,
    TextArgument,
    TupleElement,
    TupleValue,
    Unary,
    While,
)
from transpiler.ir.types import Scalar
from transpiler.ops.model import Effect
from transpiler.ops.signature import Form
from transpiler.passes.compile_time import may_be_constant

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a kernel does with its symbols.

    `constants` are the locals that print as `tl.constexpr`: their value is known at compile time and
    stands where Triton needs it then. `rust_names` are all names the kernel gives.
    """

    constants: frozenset[Symbol]
    rust_names: frozenset[str]
    declared: dict[Symbol, int]
    last_read: dict[Symbol, int]

    def is_dead(self, symbol: Symbol, at: Symbol) -> bool:
        """Whether `symbol` is neither read nor assigned from the declaration of `at` on."""
        return self.last_read.get(symbol, -1) < self.declared.get(at, -1)


def analyse(kernel: Routine) -> Usage:
    """Walk a kernel or a function once."""
    walk = _Walk()
    for symbol in (*kernel.parameters, *kernel.const_generics):
        walk.declare(symbol)
    walk.block(kernel.body)
    return Usage(
        constants=walk.constants(),
        rust_names=frozenset(symbol.name for symbol in walk.declared),
        declared=walk.declared,
        last_read=walk.last_read,
    )


class _Walk:
    """Numbers declarations and reads in the order in which they are executed."""

    def __init__(self) -> None:
        self.declared: dict[Symbol, int] = {}
        self.last_read: dict[Symbol, int] = {}
        self._clock = 0
        self._values: dict[Symbol, Expression] = {}
        self._wanted: list[Symbol] = []
        self._tested: list[Symbol] = []

    def constants(self) -> frozenset[Symbol]:
        """The wanted symbols that are constant, and those their values are made of.

        What only a condition tests need not be: it is where Python computes it.
        """
        found: set[Symbol] = set()
        wanted = [
            *self._wanted,
            *(
                symbol
                for symbol in self._tested
                if symbol in self._values and self._is_number(self._values[symbol])
            ),
        ]
        while wanted:
            symbol = wanted.pop()
            value = self._values.get(symbol)
            if (
                symbol in found
                or value is None
                or not may_be_constant(symbol.type)
                or not self._is_constant(value)
            ):
                continue
            found.add(symbol)
            wanted.extend(_reads(value))
        return frozenset(found)

    def declare(self, symbol: Symbol) -> None:
        self._clock += 1
        self.declared[symbol] = self._clock

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:  # noqa: C901 - one case a kind
        match statement:
            case Let(symbol=symbol, value=value):
                self._expression(value)
                self.declare(symbol)
                if not symbol.is_mutable:
                    self._values[symbol] = value
            case LetTuple(symbols=symbols, value=value):
                self._expression(value)
                for element in symbols:
                    if element is not None:
                        self.declare(element)
            case Declare(symbol=symbol):
                self.declare(symbol)
            case Assign(symbol=symbol, value=value):
                self._expression(value)
                self._touch(symbol)
            case Evaluate(value=value):
                self._expression(value)
            case If(condition=condition, then_block=then_block, else_block=else_block):
                self._expression(condition)
                self._tested.extend(_reads(condition))
                self.block(then_block)
                if else_block is not None:
                    self.block(else_block)
            case While(condition=condition, body=body):
                self._expression(condition)
                self.block(body)
                self._expression(condition)
            case For(symbol=symbol, start=start, stop=stop, step=step, body=body):
                for bound in (start, stop, step):
                    self._expression(bound)
                self.declare(symbol)
                self.block(body)
            case Return(value=result):
                if result is not None:
                    self._expression(result)
            case Break() | Continue():
                raise ValueError("`structure` takes these out")
            case _:
                assert_never(statement)

    def _touch(self, symbol: Symbol) -> None:
        self._clock += 1
        self.last_read[symbol] = self._clock

    def _want(self, expression: Expression) -> None:
        self._wanted.extend(_reads(expression))

    def _expression(self, expression: Expression) -> None:
        if isinstance(expression, Read):
            self._touch(expression.symbol)
            return
        if isinstance(expression, Conditional):
            self._tested.extend(_reads(expression.condition))
        elif isinstance(expression, OpCall):
            self._want_constants(expression)
        elif isinstance(expression, Call):
            for constant in expression.constants:
                self._want(constant)
            for place in expression.function.constants:
                self._want(expression.arguments[place])
        elif isinstance(expression, BlockValue):
            for statement in expression.statements:
                self._statement(statement)
        for child in children(expression):
            self._expression(child)

    def _want_constants(self, call: OpCall) -> None:
        for parameter, argument in zip(call.op.parsed.parameters, call.arguments, strict=True):
            match parameter.kind.form:
                case Form.CONSTANT | Form.CONSTANT_LIST | Form.LIST:
                    for value in _values_of(argument):
                        self._want(value)
                case _:
                    pass

    def _is_constant(self, expression: Expression) -> bool:
        match expression:
            case Literal():
                return True
            case Read(symbol=symbol):
                if symbol.kind is SymbolKind.CONST_GENERIC:
                    return True
                value = self._values.get(symbol)
                return value is not None and self._is_constant(value)
            case OpCall(op=op, type=Scalar()):
                return (
                    op.effect is Effect.PURE
                    and bool(expression.arguments)
                    and all(_is_value(argument) for argument in expression.arguments)
                    and all(self._is_constant(child) for child in children(expression))
                )
            case BlockValue(statements=statements):
                return not statements and self._is_constant(expression.value)
            case Unary() | Binary() | Cast() | Conditional():
                return all(self._is_constant(child) for child in children(expression))
            case OpCall() | Call() | OffsetPointer() | TupleValue() | TupleElement():
                return False
        assert_never(expression)

    def _is_number(self, expression: Expression) -> bool:
        """Whether Python computes the value in every Triton: `tl.cast` and most calls give one at run time."""
        match expression:
            case Read(symbol=symbol) if symbol in self._values:
                return self._is_number(self._values[symbol])
            case Cast() | Call():
                return False
            case OpCall(op=op) if not op.keeps_constants:
                return False
            case _:
                return all(map(self._is_number, children(expression)))


def children(expression: Expression) -> Iterable[Expression]:
    """The expressions an expression is made of, in the order of evaluation; not those of statements within."""
    match expression:
        case Literal() | Read():
            return ()
        case Unary(operand=operand) | Cast(operand=operand) | TupleElement(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case OffsetPointer(pointer=pointer, offsets=offsets):
            return (pointer, offsets)
        case Call(arguments=arguments, constants=constants):
            return (*arguments, *constants)
        case OpCall(arguments=arguments):
            return [value for argument in arguments for value in _values_of(argument)]
        case TupleValue(elements=elements):
            return elements
        case Conditional():
            return (expression.condition, expression.then_value, expression.else_value)
        case BlockValue(value=value):
            return (value,)
    assert_never(expression)


def _values_of(argument: Argument) -> tuple[Expression, ...]:
    match argument:
        case ListArgument(elements=elements):
            return elements
        case (
            AbsentArgument() | EnumArgument() | FlagArgument() | TextArgument() | FunctionArgument()
        ):
            return ()
        case _:
            return (argument,)


def _is_value(argument: Argument) -> bool:
    return not isinstance(argument, PLAIN_ARGUMENTS)


def _reads(expression: Expression) -> Iterable[Symbol]:
    """The symbols an expression reads."""
    if isinstance(expression, Read):
        yield expression.symbol
    for child in children(expression):
        yield from _reads(child)
