"""The syntax tree back to Rust, laid out as rustfmt does it where that is simple to tell.

Parsing what this prints gives the same tree again, spans apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.syntax import inline
from transpiler.syntax.inline import NotInlineError
from transpiler.syntax.layout import INDENT, around, comments_text, head_lines
from transpiler.syntax.nodes import (
    AliasedType,
    Array,
    ArrayRepeat,
    Assignment,
    Attribute,
    Binary,
    Block,
    Break,
    Call,
    Cast,
    Closure,
    Const,
    Enumeration,
    Expression,
    ExpressionStatement,
    Field,
    File,
    For,
    Function,
    If,
    Impl,
    Index,
    Item,
    ItemStatement,
    Let,
    LetCondition,
    Loop,
    MacroCall,
    Match,
    MatchArm,
    MethodCall,
    Module,
    OpaqueBody,
    OpaqueItem,
    Parameter,
    Parenthesized,
    Pattern,
    Range,
    Reference,
    Return,
    Statement,
    Struct,
    StructLiteral,
    Try,
    Tuple,
    Type,
    Unary,
    Use,
    While,
)
from transpiler.syntax.struct_printer import struct_rest

if TYPE_CHECKING:
    from transpiler.syntax.base import Comment

_WIDTH = 100
_LIST_WIDTH = 60
_BRANCH_WIDTH = 50
_LITERAL_WIDTH = 18


def print_file(file: File) -> str:
    """A whole file, with a line end after its last line."""
    parts = []
    if file.header_comments:
        parts.append(comments_text(file.header_comments, ""))
    if file.docs:
        parts.append("\n".join(f"//! {line}".rstrip() for line in file.docs))
    if file.attributes:
        parts.append("\n".join(attribute.text for attribute in file.attributes))
    if file.items:
        parts.append(_items(file.items, ""))
    text = "\n\n".join(parts)
    if file.closing_comments:
        text = (
            f"{text}\n{comments_text(file.closing_comments, '')}"
            if text
            else comments_text(file.closing_comments, "")
        )
    return f"{text}\n"


def print_expression(expression: Expression) -> str:
    """An expression, on one line where it has such a form."""
    try:
        return inline.expression(expression)
    except NotInlineError:
        return _expression(expression, "")


def print_type(type_: Type) -> str:
    """A type, on one line."""
    return inline.type_(type_)


def print_pattern(pattern: Pattern) -> str:
    """A pattern, on one line."""
    return inline.pattern(pattern)


def print_statement(statement: Statement) -> str:
    """A statement with its attributes, without the comments around it."""
    return _statement(statement, "")


def print_item(item: Item) -> str:
    """An item with its docs and attributes, without the comments around it."""
    return _item(item, "")


# --- Items ---


def _items(items: tuple[Item, ...], indent: str) -> str:
    return "\n".join(
        around(item.head.trivia, indent, indent + _item(item, indent), is_first=index == 0)
        for index, item in enumerate(items)
    )


def _item(item: Item, indent: str) -> str:
    """An item; its first line is not indented."""
    return f"\n{indent}".join([*head_lines(item.head), _bare_item(item, indent)])


def _bare_item(item: Item, indent: str) -> str:
    public = f"{item.head.visibility} " if item.head.visibility else ""
    match item:
        case Function():
            return public + _function(item, indent, public)
        case Struct():
            return f"{public}struct {inline.name(item.name)}{struct_rest(item, indent)}"
        case AliasedType():
            return f"{public}type {inline.name(item.name)} = {inline.type_(item.type)};"
        case Enumeration():
            return f"{public}enum {inline.name(item.name)} {item.rest}"
        case Impl():
            return _impl(item, indent)
        case Use():
            return f"{public}use {item.tree};"
        case Const():
            value = f" = {item.value_text}" if item.value_text else ""
            declared = f"{item.keyword} {inline.name(item.name)}: {inline.type_(item.type)}"
            return f"{public}{declared}{value};"
        case Module(items=None):
            return f"{public}mod {inline.name(item.name)};"
        case Module():
            head = f"{public}mod {inline.name(item.name)}"
            return f"{head} {_item_block(item.items or (), item.closing_comments, indent)}"
        case OpaqueItem():
            return public + item.text
        case _:
            assert_never(item)


def _item_block(items: tuple[Item, ...], closing: tuple[Comment, ...], indent: str) -> str:
    inner = indent + INDENT
    parts = []
    if items:
        parts.append(_items(items, inner))
    if closing:
        parts.append(comments_text(closing, inner))
    return "{\n" + "\n".join([*parts, f"{indent}}}"]) if parts else "{}"


def _impl(item: Impl, indent: str) -> str:
    head = f"impl{item.generics_text} "
    own = inline.type_(item.self_type)
    trait = f"{inline.type_(item.trait)}" if item.trait is not None else None
    line = f"{head}{own}" if trait is None else f"{head}{trait} for {own}"
    brace = " "
    if len(indent) + len(line) + 2 > _WIDTH and trait is not None:
        line = f"{head}{trait}\n{indent}{INDENT}for {own}"
        brace = f"\n{indent}"
    if item.where_clause is not None:
        line += f"\n{indent}where\n{indent}{INDENT}{item.where_clause}"
        brace = f"\n{indent}"
    return f"{line}{brace}{_item_block(item.items, item.closing_comments, indent)}"


def _function(item: Function, indent: str, before: str) -> str:
    generics = ", ".join(inline.generic_parameter(parameter) for parameter in item.generics)
    qualifiers = f"{item.qualifiers} " if item.qualifiers else ""
    head = f"{qualifiers}fn {inline.name(item.name)}{f'<{generics}>' if generics else ''}"
    result = f" -> {inline.type_(item.return_type)}" if item.return_type is not None else ""
    entries = [] if item.receiver is None else [item.receiver]
    entries.extend(_parameter(parameter) for parameter in item.parameters)
    one_line = f"{head}({', '.join(entries)}){result}"
    has_comments = any(
        parameter.trivia.leading or parameter.trivia.trailing for parameter in item.parameters
    )
    fits = len(indent) + len(before) + len(one_line) + 2 <= _WIDTH and not has_comments
    if fits:
        line = one_line
    else:
        inner = indent + INDENT
        lines = [] if item.receiver is None else [f"{inner}{item.receiver},"]
        lines.extend(
            around(parameter.trivia, inner, f"{inner}{_parameter(parameter)},", is_first=False)
            for parameter in item.parameters
        )
        line = "\n".join([f"{head}(", *lines, f"{indent}){result}"])
    if item.where_clause is not None:
        where = f"\n{indent}where" if fits else " where"
        line += f"{where}\n{indent}{INDENT}{item.where_clause}"
    match item.body:
        case None:
            return f"{line};"
        case OpaqueBody():
            body = item.body.text
        case Block():
            body = _block(item.body, indent)
    return f"{line}\n{indent}{body}" if item.where_clause is not None else f"{line} {body}"


def _parameter(parameter: Parameter) -> str:
    return f"{inline.pattern(parameter.pattern)}: {inline.type_(parameter.type)}"


# --- Statements ---


def _block(block: Block, indent: str) -> str:
    inner = indent + INDENT
    parts = [
        around(statement.trivia, inner, inner + _statement(statement, inner), is_first=index == 0)
        for index, statement in enumerate(block.statements)
    ]
    if block.tail is not None:
        tail = inner + _expression(block.tail, inner)
        parts.append(around(block.tail_trivia, inner, tail, is_first=not parts))
    if block.closing_comments:
        parts.append(comments_text(block.closing_comments, inner))
    head = inline.block_head(block)
    return head + ("{\n" + "\n".join([*parts, f"{indent}}}"]) if parts else "{}")


def _statement(statement: Statement, indent: str) -> str:
    match statement:
        case Let():
            return _attributes(statement.attributes, indent) + _let(statement, indent)
        case ExpressionStatement():
            end = ";" if statement.has_semicolon else ""
            written = _expression(statement.expression, indent, is_statement=True)
            return f"{_attributes(statement.attributes, indent)}{written}{end}"
        case ItemStatement():
            return _item(statement.item, indent)
        case _:
            assert_never(statement)


def _attributes(attributes: tuple[Attribute, ...], indent: str) -> str:
    return "".join(f"{attribute.text}\n{indent}" for attribute in attributes)


def _let(let: Let, indent: str) -> str:
    head = f"let {inline.pattern(let.pattern)}"
    if let.type is not None:
        head += f": {inline.type_(let.type)}"
    if let.value is None:
        return f"{head};"
    end = "" if let.else_block is None else f" else {_block(let.else_block, indent)}"
    value = _expression(let.value, indent, used=len(head) + 3)
    if "\n" in value and isinstance(let.value, Binary):
        inner = indent + INDENT
        below = _expression(let.value, inner)
        if "\n" not in below:
            return f"{head} =\n{inner}{below}{end};"
    return f"{head} = {value}{end};"


# --- Expressions ---


def _expression(node: Expression, indent: str, used: int = 0, *, is_statement: bool = False) -> str:
    """An expression at `indent`, after `used` characters of its line; further lines are indented."""
    room = _WIDTH - len(indent) - used - 1
    if not (is_statement and isinstance(node, If | Block)):
        try:
            line = inline.expression(node)
        except NotInlineError:
            pass
        else:
            if len(line) <= room and _may_be_flat(node, line):
                return line
    return _broken(node, indent, used)


def _may_be_flat(node: Expression, line: str) -> bool:
    """Whether rustfmt leaves on one line what would fit there."""
    match node:
        case Call(arguments=arguments) | MethodCall(arguments=arguments):
            fits = len(arguments) == 1 or len(inline.expressions(arguments)) <= _LIST_WIDTH
            return fits and all(
                _may_be_flat(argument, inline.expression(argument)) for argument in arguments
            )
        case Array(elements=elements):
            return len(line) <= _LIST_WIDTH or len(elements) < 2
        case If():
            return len(line) <= _BRANCH_WIDTH
        case Closure():
            return _may_be_flat(node.body, inline.expression(node.body))
        case StructLiteral():
            return len(line) - len(inline.path(node.path, turbofish=True)) - 5 <= _LITERAL_WIDTH
        case Binary():
            return _may_be_flat(node.left, inline.expression(node.left)) and _may_be_flat(
                node.right, inline.expression(node.right)
            )
        case Assignment():
            return _may_be_flat(node.value, inline.expression(node.value))
        case Cast() | Unary() | Reference() | Try():
            return _may_be_flat(node.operand, inline.expression(node.operand))
        case Parenthesized():
            return _may_be_flat(node.inner, inline.expression(node.inner))
        case _:
            return True


def _broken(node: Expression, indent: str, used: int) -> str:
    """An expression that takes several lines."""
    match node:
        case Block():
            return _block(node, indent)
        case If():
            return _if(node, indent)
        case Match():
            arms = "".join(_arm(arm, indent + INDENT) for arm in node.arms)
            head = f"match {_expression(node.scrutinee, indent, used + 6)}"
            return f"{head} {{\n{arms}{indent}}}"
        case While():
            condition = _expression(node.condition, indent, 6)
            return f"{_label(node.label)}while {condition} {_block(node.body, indent)}"
        case Loop():
            return f"{_label(node.label)}loop {_block(node.body, indent)}"
        case For():
            head = f"for {inline.pattern(node.pattern)} in {_expression(node.iterable, indent, 10)}"
            return f"{_label(node.label)}{head} {_block(node.body, indent)}"
        case Call():
            return _expression(node.callee, indent, used) + _list("(", node.arguments, ")", indent)
        case MethodCall():
            head = _expression(node.receiver, indent, used) + inline.method_head(node)
            return head + _list("(", node.arguments, ")", indent)
        case Array():
            return _list("[", node.elements, "]", indent)
        case Closure():
            head = inline.closure_head(node)
            return f"{head} {_expression(node.body, indent, used + len(head) + 1)}"
        case StructLiteral():
            return _struct_literal(node, indent)
        case Tuple():
            return _list("(", node.elements, ")", indent)
        case _:
            return _broken_operands(node, indent, used)


def _broken_operands(node: Expression, indent: str, used: int) -> str:
    inner = indent + INDENT
    match node:
        case Binary():
            left = _expression(node.left, indent, used)
            return f"{left}\n{inner}{node.operator.value} {_expression(node.right, inner, 3)}"
        case Assignment():
            target = _expression(node.target, indent, used)
            head = f"{target} {inline.assignment_mark(node)} "
            return head + _expression(node.value, indent, used + len(head))
        case Cast():
            return f"{_expression(node.operand, indent, used)} as {inline.type_(node.type)}"
        case Unary():
            return node.operator.value + _expression(node.operand, indent, used + 1)
        case Reference():
            mark = "&mut " if node.is_mutable else "&"
            return mark + _expression(node.operand, indent, used + len(mark))
        case Parenthesized():
            return f"({_expression(node.inner, indent, used + 1)})"
        case Field():
            return f"{_expression(node.base, indent, used)}.{node.name}"
        case Index():
            index = _expression(node.index, indent, used)
            return f"{_expression(node.base, indent, used)}[{index}]"
        case ArrayRepeat():
            element = _expression(node.element, indent, used + 1)
            return f"[{element}; {_expression(node.length, indent)}]"
        case Try():
            return f"{_expression(node.operand, indent, used)}?"
        case Range():
            start = _expression(node.start, indent, used) if node.start is not None else ""
            end = _expression(node.end, indent, used) if node.end is not None else ""
            return f"{start}{'..=' if node.is_inclusive else '..'}{end}"
        case LetCondition():
            value = _expression(node.value, indent, used)
            return f"let {inline.pattern(node.pattern)} = {value}"
        case Return(value=value) | Break(value=value) if value is not None:
            word = "return" if isinstance(node, Return) else "break"
            label = f" '{node.label}" if isinstance(node, Break) and node.label else ""
            return f"{word}{label} {_expression(value, indent, used)}"
        case MacroCall():
            return inline.macro_call(node)
        case _:
            return getattr(node, "text", "") or inline.expression(node)


def _struct_literal(node: StructLiteral, indent: str) -> str:
    """One field a line."""
    inner = indent + INDENT
    parts = []
    for index, field in enumerate(node.fields):
        head = inline.field_head(field)
        value = _expression(field.value, inner, len(head))
        text = f"{inner}{_attributes(field.attributes, inner)}{head}{value},"
        parts.append(around(field.trivia, inner, text, is_first=index == 0))
    if node.has_rest:
        base = _expression(node.base, inner, 2) if node.base is not None else ""
        parts.append(f"{inner}..{base}")
    if node.closing_comments:
        parts.append(comments_text(node.closing_comments, inner))
    return "\n".join([f"{inline.path(node.path, turbofish=True)} {{", *parts, f"{indent}}}"])


def _list(opening: str, elements: tuple[Expression, ...], closing: str, indent: str) -> str:
    """One element a line; a single one that is a list or a block itself stays on the line of its brackets."""
    if not elements:
        return opening + closing
    if len(elements) == 1 and isinstance(elements[0], Array | Block | Closure | Match):
        return f"{opening}{_expression(elements[0], indent)}{closing}"
    inner = indent + INDENT
    lines = "".join(f"{inner}{_expression(element, inner)},\n" for element in elements)
    return f"{opening}\n{lines}{indent}{closing}"


def _if(node: If, indent: str) -> str:
    head = f"if {_expression(node.condition, indent, 3)} {_block(node.then_block, indent)}"
    match node.else_branch:
        case None:
            return head
        case Block():
            return f"{head} else {_block(node.else_branch, indent)}"
        case If():
            return f"{head} else {_if(node.else_branch, indent)}"


def _arm(arm: MatchArm, indent: str) -> str:
    guard = f" if {_expression(arm.guard, indent)}" if arm.guard is not None else ""
    head = f"{indent}{inline.pattern(arm.pattern)}{guard} => "
    end = "" if isinstance(arm.body, Block) else ","
    return f"{head}{_expression(arm.body, indent, len(head) - len(indent))}{end}\n"


def _label(label: str | None) -> str:
    return f"'{label}: " if label else ""
