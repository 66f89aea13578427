"""Which kernels are in the form Triton has already, so that `structure` leaves them alone."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ir.types import Never
from transpiler.ir.visit import statement_blocks, walk_block, walk_expression, walk_statements
from transpiler.passes.ranges import is_plain_range
from transpiler.passes.short_circuit import guards_effect


def is_structured(body: ir.Block) -> bool:
    """Whether the body is in the form Triton has already, as most are."""
    # Triton has `return` at the top and in an `if` there.
    allowed = {id(statement) for statement in body.statements}
    for statement in body.statements:
        if isinstance(statement, ir.If):
            blocks = statement_blocks(statement)
            allowed |= {id(inner) for block in blocks for inner in block.statements}
    has_loop = False
    for statement in walk_statements(body):
        match statement:
            case ir.Break() | ir.Continue() | ir.Declare():
                return False
            case ir.Return() if id(statement) not in allowed:
                return False
            case ir.For():
                if not is_plain_range(statement):
                    return False
                has_loop = True
            case ir.While():
                if statement.is_once or statement.result is not None:
                    return False
                has_loop = True
            case _:
                pass
    # A block in a loop's condition is computed in its body; one that never ends in a value has a jump.
    return not any(
        isinstance(node.type, Never)
        or (has_loop and (isinstance(node, ir.BlockValue) or guards_effect(node)))
        for node in walk_block(body)
    )


def takes_statements(condition: ir.Expression) -> bool:
    """Whether Python has no expression for a condition: it holds statements, or a choice within a choice."""
    for node in walk_expression(condition):
        if guards_effect(node) or (isinstance(node, ir.BlockValue) and node.statements):
            return True
        if isinstance(node, ir.Conditional) and any(
            isinstance(inner, ir.Conditional)
            for arm in (node.then_value, node.else_value)
            for inner in walk_expression(arm.value)
        ):
            return True
    return False
