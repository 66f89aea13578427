"""The axes of the grid by the names that the language has for them, and what asks for a place along one."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ops.enums import ENUMS

AXIS_MEMBERS = tuple(ENUMS["Axis"])
"""The members of the enum, in the order of the grid."""


def program_name(member: str) -> str:
    """What a program's place along an axis is called where the kernel has no name for it."""
    return f"pid_{member.lower()}"


def is_program(node: ir.Expression, member: str) -> bool:
    """Whether an expression is the place of the program along an axis, or may be."""
    if not isinstance(node, ir.OpCall) or not node.op.is_program_id:
        return False
    axis = node.arguments[0]
    return not isinstance(axis, ir.EnumArgument) or axis.member == member
