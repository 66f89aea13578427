"""One way to walk the IR and one way to rewrite it."""

from __future__ import annotations

from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, assert_never

from transpiler.ir import nodes as ir

if TYPE_CHECKING:
    from collections.abc import Sequence

# Half of all expressions: a walk has nothing to look for in them.
_LEAVES = (ir.Read, ir.Literal)


def child_expressions(node: ir.Expression) -> tuple[ir.Expression, ...]:
    """The expressions directly inside an expression; statements of a block value are not among them."""
    # The most frequent first: analyses and passes ask this of every expression, some of them often.
    match node:
        case ir.OpCall():
            result: list[ir.Expression] = []
            for argument in node.arguments:
                if isinstance(argument, ir.TypedNode):
                    result.append(argument)
                elif isinstance(argument, ir.ListArgument) and argument.elements:
                    result.extend(argument.elements)
            return tuple(result)
        case ir.Binary():
            return (node.left, node.right)
        case ir.Literal() | ir.Read():
            return ()
        case ir.Unary() | ir.Cast() | ir.TupleElement():
            return (node.operand,)
        case ir.Call():
            return (*node.arguments, *node.constants)
        case ir.OffsetPointer():
            return (node.pointer, node.offsets)
        case ir.TupleValue():
            return node.elements
        case ir.Conditional():
            return (node.condition, node.then_value, node.else_value)
        case ir.BlockValue():
            return (node.value,)
        case _:
            assert_never(node)


def statement_expressions(node: ir.Statement) -> tuple[ir.Expression, ...]:
    """The expressions a statement evaluates itself, those of its blocks left out."""
    match node:
        case ir.Let() | ir.LetTuple() | ir.Assign() | ir.Evaluate():
            return (node.value,)
        case ir.If() | ir.While():
            return (node.condition,)
        case ir.For():
            return (node.start, node.stop, node.step)
        case ir.Break() | ir.Return():
            return () if node.value is None else (node.value,)
        case ir.Declare() | ir.Continue():
            return ()
        case _:
            assert_never(node)


def statement_blocks(node: ir.Statement) -> tuple[ir.Block, ...]:
    """The blocks directly inside a statement."""
    match node:
        case ir.If():
            return (
                (node.then_block,)
                if node.else_block is None
                else (node.then_block, node.else_block)
            )
        case ir.While() | ir.For():
            return (node.body,)
        case _:
            return ()


def walk_expression(node: ir.Expression) -> list[ir.Expression]:
    """The expression and every one inside it, statements of block values included."""
    found: list[ir.Expression] = []
    _add_expression(node, found, [])
    return found


def walk_statement_expressions(node: ir.Statement) -> list[ir.Expression]:
    """Every expression anywhere in a statement."""
    found: list[ir.Expression] = []
    _add_statement(node, found, [])
    return found


def walk_block(block: ir.Block) -> tuple[ir.Expression, ...]:
    """Every expression anywhere in a block."""
    return block.contents.expressions


def walk_statements(block: ir.Block) -> tuple[ir.Statement, ...]:
    """Every statement anywhere in a block, outer before inner; those of block values too."""
    return block.contents.statements


def contents_of(block: ir.Block) -> ir.Contents:
    """What is anywhere in a block, found anew."""
    expressions: list[ir.Expression] = []
    statements: list[ir.Statement] = []
    for statement in block.statements:
        _add_statement(statement, expressions, statements)
    return ir.Contents(statements=tuple(statements), expressions=tuple(expressions))


# Lists that are added to rather than generators: a node would pass through as many of these as it is deep.


def _add_statement(
    node: ir.Statement, expressions: list[ir.Expression], statements: list[ir.Statement]
) -> None:
    statements.append(node)
    for expression in statement_expressions(node):
        _add_expression(expression, expressions, statements)
    for block in statement_blocks(node):
        for inner in block.statements:
            _add_statement(inner, expressions, statements)


def _add_expression(
    node: ir.Expression, expressions: list[ir.Expression], statements: list[ir.Statement]
) -> None:
    pending = [node]
    while pending:
        node = pending.pop()
        expressions.append(node)
        if isinstance(node, _LEAVES):
            continue
        if isinstance(node, ir.BlockValue):
            for statement in node.statements:
                _add_statement(statement, expressions, statements)
        pending.extend(child_expressions(node)[::-1])


def _are_same(new: Sequence[object], old: Sequence[object]) -> bool:
    """Whether these are the very objects that those are, in the same order."""
    return len(new) == len(old) and all(map(is_, new, old))


class Rewriter:
    """Rebuilds what changes, bottom up; a subclass overrides `leave_*`, or a method as a whole.

    A node none of whose parts changed is given back as it is.
    """

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        """What takes the place of an expression whose parts are rewritten."""
        return node

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        """What takes the place of a statement whose parts are rewritten."""
        return (node,)

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        """What takes the place of a symbol, where it is declared and where it is read."""
        return symbol

    def kernel(self, kernel: ir.R) -> ir.R:
        """The kernel, or the function, with its body rewritten."""
        body = self.block(kernel.body)
        return kernel if body is kernel.body else replace(kernel, body=body)

    def block(self, block: ir.Block) -> ir.Block:
        """A block with its statements rewritten."""
        statements = self.statements(block.statements)
        return block if statements is block.statements else replace(block, statements=statements)

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        """Consecutive statements, rewritten in order."""
        result: list[ir.Statement] = []
        for statement in statements:
            result.extend(self.leave_statement(self.statement(statement)))
        if _are_same(result, statements):
            return statements
        return tuple(result)

    def statement(self, node: ir.Statement) -> ir.Statement:
        """A statement with its parts rewritten."""
        match node:
            case ir.Let():
                value, symbol = self.expression(node.value), self.symbol(node.symbol)
                if value is node.value and symbol is node.symbol:
                    return node
                return replace(node, value=value, symbol=symbol)
            case ir.LetTuple():
                value = self.expression(node.value)
                symbols = tuple([s if s is None else self.symbol(s) for s in node.symbols])
                if value is node.value and _are_same(symbols, node.symbols):
                    return node
                return replace(node, value=value, symbols=symbols)
            case ir.Declare():
                symbol = self.symbol(node.symbol)
                return node if symbol is node.symbol else replace(node, symbol=symbol)
            case ir.Assign():
                value, symbol = self.expression(node.value), self.symbol(node.symbol)
                if value is node.value and symbol is node.symbol:
                    return node
                return replace(node, value=value, symbol=symbol)
            case ir.Evaluate():
                value = self.expression(node.value)
                return node if value is node.value else replace(node, value=value)
            case ir.If():
                return self._if(node)
            case ir.While():
                condition, body = self.expression(node.condition), self.block(node.body)
                result = None if node.result is None else self.symbol(node.result)
                if condition is node.condition and body is node.body and result is node.result:
                    return node
                return replace(node, condition=condition, body=body, result=result)
            case ir.For():
                return self._for(node)
            case ir.Break() | ir.Return():
                left = None if node.value is None else self.expression(node.value)
                return node if left is node.value else replace(node, value=left)
            case ir.Continue():
                return node
            case _:
                assert_never(node)

    def _for(self, node: ir.For) -> ir.For:
        start, stop = self.expression(node.start), self.expression(node.stop)
        step, symbol = self.expression(node.step), self.symbol(node.symbol)
        body = self.block(node.body)
        if _are_same(
            (start, stop, step, symbol, body),
            (node.start, node.stop, node.step, node.symbol, node.body),
        ):
            return node
        return replace(node, start=start, stop=stop, step=step, symbol=symbol, body=body)

    def _if(self, node: ir.If) -> ir.If:
        condition, then_block = self.expression(node.condition), self.block(node.then_block)
        else_block = None if node.else_block is None else self.block(node.else_block)
        if (
            condition is node.condition
            and then_block is node.then_block
            and else_block is node.else_block
        ):
            return node
        return replace(node, condition=condition, then_block=then_block, else_block=else_block)

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression with its parts rewritten, then itself."""
        return self.leave_expression(self.expression_parts(node))

    def expression_parts(self, node: ir.Expression) -> ir.Expression:
        """An expression with its parts rewritten."""
        match node:
            case ir.Literal():
                return node
            case ir.Read():
                symbol = self.symbol(node.symbol)
                return node if symbol is node.symbol else replace(node, symbol=symbol)
            case ir.Unary() | ir.Cast() | ir.TupleElement():
                operand = self.expression(node.operand)
                return node if operand is node.operand else replace(node, operand=operand)
            case ir.Binary():
                left, right = self.expression(node.left), self.expression(node.right)
                if left is node.left and right is node.right:
                    return node
                return replace(node, left=left, right=right)
            case ir.OpCall():
                arguments = tuple([self.argument(argument) for argument in node.arguments])
                if _are_same(arguments, node.arguments):
                    return node
                return replace(node, arguments=arguments)
            case ir.Call():
                given = tuple([self.expression(argument) for argument in node.arguments])
                constants = tuple([self.expression(constant) for constant in node.constants])
                if _are_same(given, node.arguments) and _are_same(constants, node.constants):
                    return node
                return replace(node, arguments=given, constants=constants)
            case ir.OffsetPointer():
                pointer, offsets = self.expression(node.pointer), self.expression(node.offsets)
                if pointer is node.pointer and offsets is node.offsets:
                    return node
                return replace(node, pointer=pointer, offsets=offsets)
            case ir.TupleValue():
                elements = tuple([self.expression(element) for element in node.elements])
                return (
                    node if _are_same(elements, node.elements) else replace(node, elements=elements)
                )
            case ir.Conditional():
                return self._conditional(node)
            case ir.BlockValue():
                return self.block_value(node)
            case _:
                assert_never(node)

    def _conditional(self, node: ir.Conditional) -> ir.Conditional:
        condition = self.expression(node.condition)
        then_value, else_value = (
            self.block_value(node.then_value),
            self.block_value(node.else_value),
        )
        if (
            condition is node.condition
            and then_value is node.then_value
            and else_value is node.else_value
        ):
            return node
        return replace(node, condition=condition, then_value=then_value, else_value=else_value)

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        """A block value with its statements and its value rewritten."""
        statements, value = self.statements(node.statements), self.expression(node.value)
        if statements is node.statements and value is node.value:
            return node
        return replace(node, statements=statements, value=value)

    def argument(self, node: ir.Argument) -> ir.Argument:
        """An argument of an operation, rewritten."""
        match node:
            case (
                ir.AbsentArgument()
                | ir.EnumArgument()
                | ir.FlagArgument()
                | ir.TextArgument()
                | ir.FunctionArgument()
            ):
                return node
            case ir.ListArgument():
                elements = tuple([self.expression(element) for element in node.elements])
                return (
                    node if _are_same(elements, node.elements) else replace(node, elements=elements)
                )
            case _:
                return self.expression(node)
