"""Types, patterns and expressions back to Rust, each on one line.

What holds statements has no such form, but for blocks of a value alone.
"""

from __future__ import annotations

from typing import assert_never

from transpiler.syntax.nodes import (
    Array,
    ArrayRepeat,
    ArrayType,
    Assignment,
    AssociatedTypeArgument,
    Binary,
    Block,
    BooleanLiteral,
    Break,
    Call,
    Cast,
    Closure,
    ConstArgument,
    ConstParameter,
    Continue,
    Expression,
    Field,
    FieldValue,
    FloatLiteral,
    For,
    GenericArgument,
    GenericParameter,
    IdentifierPattern,
    If,
    Index,
    InferredType,
    IntegerLiteral,
    LetCondition,
    LifetimeArgument,
    LifetimeParameter,
    LiteralPattern,
    Loop,
    MacroCall,
    Match,
    MethodCall,
    OpaqueType,
    OrPattern,
    Parenthesized,
    Path,
    PathExpression,
    PathPattern,
    PathSegment,
    PathType,
    Pattern,
    PointerType,
    Range,
    RangePattern,
    Reference,
    ReferencePattern,
    ReferenceType,
    RestPattern,
    Return,
    SlicePattern,
    StructLiteral,
    StructPattern,
    TextLiteral,
    Try,
    Tuple,
    TuplePattern,
    TupleStructPattern,
    TupleType,
    Type,
    TypeParameter,
    Unary,
    While,
    WildcardPattern,
)

KEYWORDS = frozenset(
    [
        "abstract",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "static",
        "struct",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
    ]
)


class NotInlineError(Exception):
    """The expression holds statements or comments, and takes more than one line."""


def name(identifier: str) -> str:
    """An identifier as Rust wants it written."""
    return f"r#{identifier}" if identifier in KEYWORDS else identifier


# --- Paths and types ---


def path(node: Path, *, turbofish: bool) -> str:
    """A path; `turbofish` where generic arguments need `::` before them."""
    colons = "::" if turbofish else ""
    written = "::".join(_segment(segment, colons) for segment in node.segments)
    return f"::{written}" if node.is_global else written


def _segment(segment: PathSegment, colons: str) -> str:
    if segment.generics is None:
        return name(segment.name)
    return f"{name(segment.name)}{colons}{generic_arguments(segment.generics)}"


def generic_arguments(arguments: tuple[GenericArgument, ...]) -> str:
    """`<A, B>`."""
    return f"<{', '.join(_generic_argument(argument) for argument in arguments)}>"


def _generic_argument(argument: GenericArgument) -> str:
    match argument:
        case AssociatedTypeArgument():
            return f"{name(argument.name)} = {type_(argument.type)}"
        case LifetimeArgument():
            return f"'{argument.name}"
        case ConstArgument():
            return expression(argument.value)
        case _:
            return type_(argument)


def type_(node: Type) -> str:
    """A type."""
    match node:
        case PathType():
            return path(node.path, turbofish=False)
        case ReferenceType():
            lifetime = f"'{node.lifetime} " if node.lifetime else ""
            return f"&{lifetime}{'mut ' if node.is_mutable else ''}{type_(node.referent)}"
        case PointerType():
            return f"*{'mut' if node.is_mutable else 'const'} {type_(node.pointee)}"
        case TupleType():
            return _tuple([type_(element) for element in node.elements])
        case ArrayType():
            length = f"; {expression(node.length)}" if node.length is not None else ""
            return f"[{type_(node.element)}{length}]"
        case InferredType():
            return "_"
        case OpaqueType():
            return node.text
        case _:
            assert_never(node)


def generic_parameter(node: GenericParameter) -> str:
    """`D: Float`, `const N: i32`, `'a`."""
    match node:
        case TypeParameter():
            bounds = " + ".join(path(bound, turbofish=False) for bound in node.bounds)
            return f"{name(node.name)}: {bounds}" if bounds else name(node.name)
        case ConstParameter():
            default = f" = {expression(node.default)}" if node.default is not None else ""
            return f"const {name(node.name)}: {type_(node.type)}{default}"
        case LifetimeParameter():
            return f"'{node.name}"
        case _:
            assert_never(node)


def _tuple(elements: list[str]) -> str:
    return f"({elements[0]},)" if len(elements) == 1 else f"({', '.join(elements)})"


# --- Patterns ---


def pattern(node: Pattern) -> str:
    """A pattern."""
    match node:
        case IdentifierPattern():
            reference = "ref " if node.is_reference else ""
            bound = f"{reference}{'mut ' if node.is_mutable else ''}{name(node.name)}"
            return bound if node.subpattern is None else f"{bound} @ {_subpattern(node.subpattern)}"
        case WildcardPattern():
            return "_"
        case TuplePattern():
            return _tuple([pattern(element) for element in node.elements])
        case RestPattern():
            return ".."
        case LiteralPattern():
            return expression(node.value)
        case PathPattern():
            return path(node.path, turbofish=True)
        case TupleStructPattern():
            return f"{path(node.path, turbofish=True)}({_patterns(node.elements)})"
        case StructPattern():
            return _struct_pattern(node)
        case ReferencePattern():
            return f"&{'mut ' if node.is_mutable else ''}{_referent(node)}"
        case SlicePattern():
            return f"[{_patterns(node.elements)}]"
        case RangePattern():
            return _range(node.start, node.end, is_inclusive=node.is_inclusive)
        case OrPattern():
            return " | ".join(pattern(alternative) for alternative in node.alternatives)
        case _:
            assert_never(node)


def _patterns(nodes: tuple[Pattern, ...]) -> str:
    return ", ".join(pattern(node) for node in nodes)


def _struct_pattern(node: StructPattern) -> str:
    entries = [
        pattern(field.pattern)
        if field.is_shorthand
        else f"{_field_name(field.name)}: {pattern(field.pattern)}"
        for field in node.fields
    ]
    if node.has_rest:
        entries.append("..")
    inner = f" {', '.join(entries)} " if entries else ""
    return f"{path(node.path, turbofish=True)} {{{inner}}}"


def _referent(node: ReferencePattern) -> str:
    """What a `&` of a pattern stands before; `&(mut a)` and `&mut a` are not the same."""
    written = pattern(node.pattern)
    match node.pattern:
        case IdentifierPattern(is_mutable=True, is_reference=False) | OrPattern():
            return f"({written})"
        case _:
            return written


def _subpattern(node: Pattern) -> str:
    written = pattern(node)
    return f"({written})" if isinstance(node, OrPattern) else written


# --- Expressions ---


def expression(node: Expression) -> str:  # noqa: C901 - one case a node
    """An expression on one line.

    Raises:
        NotInlineError: it has no such form.
    """
    match node:
        case IntegerLiteral() | FloatLiteral() | TextLiteral():
            return _one_line(node.text)
        case Closure():
            return f"{closure_head(node)} {expression(node.body)}"
        case BooleanLiteral():
            return "true" if node.value else "false"
        case PathExpression():
            return path(node.path, turbofish=True)
        case Unary():
            return f"{node.operator.value}{expression(node.operand)}"
        case Reference():
            return f"&{'mut ' if node.is_mutable else ''}{expression(node.operand)}"
        case Binary():
            return f"{expression(node.left)} {node.operator.value} {expression(node.right)}"
        case Assignment():
            return f"{expression(node.target)} {assignment_mark(node)} {expression(node.value)}"
        case Cast():
            return f"{expression(node.operand)} as {type_(node.type)}"
        case Call():
            return f"{expression(node.callee)}({expressions(node.arguments)})"
        case MethodCall():
            return f"{expression(node.receiver)}{method_head(node)}({expressions(node.arguments)})"
        case Field():
            return f"{expression(node.base)}.{_field_name(node.name)}"
        case Index():
            return f"{expression(node.base)}[{expression(node.index)}]"
        case Array():
            return f"[{expressions(node.elements)}]"
        case ArrayRepeat():
            return f"[{expression(node.element)}; {expression(node.length)}]"
        case Tuple():
            return _tuple([expression(element) for element in node.elements])
        case Parenthesized():
            return f"({expression(node.inner)})"
        case Range():
            return _range(node.start, node.end, is_inclusive=node.is_inclusive)
        case Try():
            return f"{expression(node.operand)}?"
        case MacroCall():
            return _one_line(macro_call(node))
        case StructLiteral():
            return _struct_literal(node)
        case LetCondition():
            return f"let {pattern(node.pattern)} = {expression(node.value)}"
        case Break() | Continue() | Return():
            return _jump(node)
        case Block():
            return _block(node)
        case If():
            return _if(node)
        case Match() | While() | Loop() | For():
            raise NotInlineError
        case _:
            assert_never(node)


def expressions(nodes: tuple[Expression, ...]) -> str:
    """Expressions with commas between them."""
    return ", ".join([expression(node) for node in nodes])


def assignment_mark(node: Assignment) -> str:
    """`=` or `+=`."""
    return f"{node.operator.value if node.operator else ''}="


def method_head(node: MethodCall) -> str:
    """`.name::<T>`."""
    generics = f"::{generic_arguments(node.generics)}" if node.generics is not None else ""
    return f".{name(node.method)}{generics}"


def macro_call(node: MacroCall) -> str:
    """A macro call as written, its brace set off."""
    space = " " if node.tokens.startswith("{") else ""
    return f"{path(node.path, turbofish=True)}!{space}{node.tokens}"


def closure_head(node: Closure) -> str:
    """What stands before the body of a closure."""
    parameters = ", ".join(
        pattern(parameter.pattern)
        if parameter.type is None
        else f"{pattern(parameter.pattern)}: {type_(parameter.type)}"
        for parameter in node.parameters
    )
    result = f" -> {type_(node.return_type)}" if node.return_type is not None else ""
    return f"{'move ' if node.is_move else ''}|{parameters}|{result}"


def field_head(node: FieldValue) -> str:
    """What stands before the value of a field, nothing where that is its name."""
    return "" if node.is_shorthand else f"{_field_name(node.name)}: "


def _struct_literal(node: StructLiteral) -> str:
    if node.closing_comments or any(
        field.attributes or field.trivia.leading or field.trivia.trailing for field in node.fields
    ):
        raise NotInlineError
    entries = [f"{field_head(field)}{expression(field.value)}" for field in node.fields]
    if node.has_rest:
        entries.append(f"..{expression(node.base) if node.base is not None else ''}")
    inner = f" {', '.join(entries)} " if entries else ""
    return f"{path(node.path, turbofish=True)} {{{inner}}}"


def _field_name(written: str) -> str:
    return written if written.isdecimal() else name(written)


def block_head(node: Block) -> str:
    """What stands before the brace of a block."""
    label = f"'{node.label}: " if node.label else ""
    return f"{label}unsafe " if node.is_unsafe else label


def _range(start: Expression | None, end: Expression | None, *, is_inclusive: bool) -> str:
    dots = "..=" if is_inclusive else ".."
    first = expression(start) if start is not None else ""
    return f"{first}{dots}{expression(end) if end is not None else ''}"


def _jump(node: Break | Continue | Return) -> str:
    words = [type(node).__name__.lower()]
    if not isinstance(node, Return) and node.label:
        words.append(f"'{node.label}")
    if not isinstance(node, Continue) and node.value is not None:
        words.append(expression(node.value))
    return " ".join(words)


def _block(node: Block) -> str:
    trivia = node.tail_trivia
    if node.statements or node.closing_comments or trivia.leading or trivia.trailing:
        raise NotInlineError
    if node.tail is None:
        return f"{block_head(node)}{{}}"
    return f"{block_head(node)}{{ {expression(node.tail)} }}"


def _if(node: If) -> str:
    branch = node.else_branch
    if (
        branch is None
        or node.then_block.tail is None
        or (isinstance(branch, Block) and branch.tail is None)
    ):
        raise NotInlineError
    return f"if {expression(node.condition)} {_block(node.then_block)} else {expression(branch)}"


def _one_line(text: str) -> str:
    if "\n" in text:
        raise NotInlineError
    return text
