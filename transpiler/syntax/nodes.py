"""The Rust syntax tree: one frozen node a construct, nothing resolved.

Every node carries its span. Comments that belong to a statement or an item hang on it as `Trivia`; a node is otherwise
free of layout, so that two texts that differ in white space alone give trees that are equal but for their spans.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.syntax.base import NO_TRIVIA, Comment, Node, Trivia
from transpiler.syntax.hygiene import NO_MACROS, ROOT_CONTEXT, Hygiene
from transpiler.syntax.patterns import FieldPattern as FieldPattern
from transpiler.syntax.patterns import IdentifierPattern as IdentifierPattern
from transpiler.syntax.patterns import LiteralPattern as LiteralPattern
from transpiler.syntax.patterns import OrPattern as OrPattern
from transpiler.syntax.patterns import PathPattern as PathPattern
from transpiler.syntax.patterns import Pattern as Pattern
from transpiler.syntax.patterns import RangePattern as RangePattern
from transpiler.syntax.patterns import ReferencePattern as ReferencePattern
from transpiler.syntax.patterns import RestPattern as RestPattern
from transpiler.syntax.patterns import SlicePattern as SlicePattern
from transpiler.syntax.patterns import StructPattern as StructPattern
from transpiler.syntax.patterns import TuplePattern as TuplePattern
from transpiler.syntax.patterns import TupleStructPattern as TupleStructPattern
from transpiler.syntax.patterns import WildcardPattern as WildcardPattern
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic
    from transpiler.source import Span

# --- Paths and types ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSegment(Node):
    """One name of a path with its generic arguments; `generics` is None where none are written."""

    name: str
    generics: tuple[GenericArgument, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Node):
    """`a::b::<C>::d`; `is_global` for a leading `::`."""

    segments: tuple[PathSegment, ...]
    is_global: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names without their generic arguments."""
        return tuple(segment.name for segment in self.segments)

    @property
    def identifier(self) -> str | None:
        """The name where the path is one plain identifier."""
        if len(self.segments) == 1 and not self.is_global and self.segments[0].generics is None:
            return self.segments[0].name
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathType(Node):
    """A named type: `i32`, `T::Pointer<D>`."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceType(Node):
    """`&'a mut T`; the lifetime is kept without its apostrophe."""

    referent: Type
    is_mutable: bool = False
    lifetime: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerType(Node):
    """`*mut T`, or `*const T` where it is not mutable."""

    pointee: Type
    is_mutable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleType(Node):
    """`(A, B)`; no elements is the unit type."""

    elements: tuple[Type, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayType(Node):
    """`[T; N]`, or `[T]` where `length` is None."""

    element: Type
    length: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredType(Node):
    """`_` in type position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueType(Node):
    """A type outside the modelled subset (`fn(A) -> B`, `dyn Trait`, `impl Trait`, `!`), as written."""

    text: str


Type: TypeAlias = (
    PathType | ReferenceType | PointerType | TupleType | ArrayType | InferredType | OpaqueType
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociatedTypeArgument(Node):
    """`Output = T` among generic arguments."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True, kw_only=True)
class LifetimeArgument(Node):
    """`'a` among generic arguments, without its apostrophe."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstArgument(Node):
    """A literal, a negated literal or a `{ block }` among generic arguments."""

    value: Expression


GenericArgument: TypeAlias = (
    PathType
    | ReferenceType
    | PointerType
    | TupleType
    | ArrayType
    | InferredType
    | OpaqueType
    | AssociatedTypeArgument
    | LifetimeArgument
    | ConstArgument
)


# --- Expressions ----------------------------------------------------------------------------------


class UnaryOperator(Enum):
    """Prefix operators, by their Rust spelling."""

    NEGATE = "-"
    NOT = "!"
    DEREFERENCE = "*"


class BinaryOperator(Enum):
    """Infix operators, by their Rust spelling."""

    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    ADD = "+"
    SUBTRACT = "-"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    BIT_AND = "&"
    BIT_XOR = "^"
    BIT_OR = "|"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    GREATER = ">"
    LESS_EQUAL = "<="
    GREATER_EQUAL = ">="
    AND = "&&"
    OR = "||"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerLiteral(Node):
    """`1_000_i64`: `value` is exact, `text` as written, `suffix` an integer type (`1f32` is a `FloatLiteral`)."""

    value: int
    text: str
    suffix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatLiteral(Node):
    """`1.5e-3_f32`: `digits` is the number without underscores and suffix, `text` as written."""

    digits: str
    text: str
    suffix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BooleanLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLiteral(Node):
    """A string, raw string, byte string, C string, character or byte literal, as written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathExpression(Node):
    """A name used as a value; `context` is the syntax context in which a name of one segment was written."""

    path: Path
    context: int = ROOT_CONTEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    """`-x`, `!x`, `*x`."""

    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Node):
    """`&x`, `&mut x`."""

    operand: Expression
    is_mutable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    """`left operator right`."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    """`target = value`, or `target op= value` where `operator` is given. An expression of unit type, as in Rust."""

    target: Expression
    value: Expression
    operator: BinaryOperator | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(Node):
    """`operand as type`."""

    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """`callee(arguments)`."""

    callee: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCall(Node):
    """`receiver.method::<generics>(arguments)`; `method_span` covers the name."""

    receiver: Expression
    method: str
    method_span: Span
    arguments: tuple[Expression, ...]
    generics: tuple[GenericArgument, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Node):
    """`base.name` or `base.0`."""

    base: Expression
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Node):
    """`base[index]`."""

    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Array(Node):
    """`[a, b, c]`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRepeat(Node):
    """`[element; length]`."""

    element: Expression
    length: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuple(Node):
    """`(a, b)`; no elements is the unit value."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parenthesized(Node):
    """`(inner)`, kept so that printing gives back what was written."""

    inner: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Range(Node):
    """`start..end`, `start..=end`, either side optional."""

    start: Expression | None
    end: Expression | None
    is_inclusive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Node):
    """`{ statements; tail }`; comments before the closing brace are `closing_comments`.

    An `if`, `match`, `loop` or block at the end is the tail where it can have a value, and a statement otherwise: a
    `while`, and an `if` whose branches all end with statements, are never tails.
    """

    statements: tuple[Statement, ...]
    tail: Expression | None = None
    tail_trivia: Trivia = NO_TRIVIA
    closing_comments: tuple[Comment, ...] = ()
    label: str | None = None
    is_unsafe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Node):
    """`if condition { … } else …`; the else branch is a block or a further `If`."""

    condition: Expression
    then_block: Block
    else_branch: Block | If | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LetCondition(Node):
    """`let pattern = value` inside the condition of an `if` or `while`."""

    pattern: Pattern
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchArm(Node):
    """`pattern if guard => body`."""

    pattern: Pattern
    body: Expression
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Node):
    """`match scrutinee { arms }`."""

    scrutinee: Expression
    arms: tuple[MatchArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Node):
    """`'label: while condition { … }`."""

    condition: Expression
    body: Block
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop(Node):
    """`'label: loop { … }`."""

    body: Block
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Node):
    """`'label: for pattern in iterable { … }`."""

    pattern: Pattern
    iterable: Expression
    body: Block
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Break(Node):
    """`break 'label value`."""

    label: str | None = None
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue(Node):
    """`continue 'label`."""

    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Node):
    """`return value`."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureParameter(Node):
    """`pattern`, or `pattern: type`."""

    pattern: Pattern
    type: Type | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure(Node):
    """`move |parameters| -> return_type body`."""

    parameters: tuple[ClosureParameter, ...]
    body: Expression
    return_type: Type | None = None
    is_move: bool = False


class MacroFailure(NamedTuple):
    """Why a macro call could not be expanded: the parts of a diagnostic."""

    code: str
    message: str
    help: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroCall(Node):
    """`path!(tokens)`; `tokens` is the delimited text, delimiters included.

    `failure` tells why a macro of the file was not expanded, with a code and what to do instead. `arguments` are those
    of assertions and of macros that make a text of values (`panic!`, `format!`); they are empty where they cannot be
    read. `array` is what `vec!` makes a vector of, `meta` the condition of `cfg!`.
    """

    path: Path
    tokens: str
    failure: MacroFailure | None = None
    arguments: tuple[Expression, ...] = ()
    array: Array | ArrayRepeat | None = None
    meta: MetaItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue(Node):
    """`name: value`; where `is_shorthand`, the name alone is written, and `value` is the variable of that name."""

    name: str
    value: Expression
    is_shorthand: bool = False
    attributes: tuple[Attribute, ...] = ()
    trivia: Trivia = NO_TRIVIA


@dataclass(frozen=True, slots=True, kw_only=True)
class StructLiteral(Node):
    """`Path { field: value, ..base }`.

    `has_rest` tells of dots: without a `base` they take what is not named, in an assignment to the literal.
    """

    path: Path
    fields: tuple[FieldValue, ...]
    base: Expression | None = None
    has_rest: bool = False
    closing_comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Try(Node):
    """`operand?`."""

    operand: Expression


Expression: TypeAlias = (
    IntegerLiteral
    | FloatLiteral
    | BooleanLiteral
    | TextLiteral
    | PathExpression
    | Unary
    | Reference
    | Binary
    | Assignment
    | Cast
    | Call
    | MethodCall
    | Field
    | Index
    | Array
    | ArrayRepeat
    | Tuple
    | Parenthesized
    | Range
    | Block
    | If
    | LetCondition
    | Match
    | While
    | Loop
    | For
    | Break
    | Continue
    | Return
    | Closure
    | MacroCall
    | StructLiteral
    | Try
)


# --- Attributes -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaItem(Node):
    """The inside of an attribute: `path`, `path = value`, `path(items)`, or a bare literal or array as `value`.

    `#[kernel(dtypes = [f32, f64])]` is path `kernel` with one item: path `dtypes`, value an `Array`.
    """

    path: Path | None = None
    value: Expression | None = None
    items: tuple[MetaItem, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute(Node):
    """`#[…]` or, where `is_inner`, `#![…]`. `meta` is None where the content is no meta item; `text` is as written."""

    text: str
    meta: MetaItem | None
    is_inner: bool = False

    @property
    def name(self) -> str | None:
        """The last name of the attribute's path: `kernel` for `#[teeny_macros::kernel]`."""
        if self.meta is None or self.meta.path is None:
            return None
        return self.meta.path.segments[-1].name


# --- Statements -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Node):
    """`let pattern: type = value;`; `else_block` for `let … else`."""

    pattern: Pattern
    type: Type | None = None
    value: Expression | None = None
    else_block: Block | None = None
    attributes: tuple[Attribute, ...] = ()
    trivia: Trivia = NO_TRIVIA


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionStatement(Node):
    """An expression as a statement; `has_semicolon` is False after blocks that need none."""

    expression: Expression
    has_semicolon: bool = True
    attributes: tuple[Attribute, ...] = ()
    trivia: Trivia = NO_TRIVIA


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemStatement(Node):
    """An item among statements."""

    item: Item
    trivia: Trivia = NO_TRIVIA


Statement: TypeAlias = Let | ExpressionStatement | ItemStatement


# --- Items ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeParameter(Node):
    """`D: Float + Send`; `bounds` are the bounds that are paths (lifetimes and `?Sized` are left out)."""

    name: str
    bounds: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstParameter(Node):
    """`const N: i32 = default`."""

    name: str
    type: Type
    default: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LifetimeParameter(Node):
    """`'a`, without its apostrophe."""

    name: str


GenericParameter: TypeAlias = TypeParameter | ConstParameter | LifetimeParameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Node):
    """`pattern: type`; comments on it hang on `trivia`."""

    pattern: Pattern
    type: Type
    trivia: Trivia = NO_TRIVIA


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHead:
    """What stands before every item: doc lines (without `///` and one space), attributes, visibility, comments.

    `docs` are the outer doc comments, one entry a line. `visibility` is the text as written (`pub`, `pub(crate)`), or
    empty.
    """

    docs: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    visibility: str = ""
    trivia: Trivia = NO_TRIVIA


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueBody(Node):
    """A `{ … }` that was not parsed; `text` includes the braces, `fault` says what is wrong where kernels call it."""

    text: str
    fault: Diagnostic | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Node):
    """`fn name<generics>(parameters) -> return_type where … { body }`.

    Functions a kernel needs have a parsed `Block`; others keep an `OpaqueBody`, which `frontend.parser.parse_body`
    parses for who needs it. `receiver` is the text of a `self` parameter, `where_clause` the text after `where`.
    """

    head: ItemHead
    name: str
    name_span: Span
    generics: tuple[GenericParameter, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    receiver: str | None = None
    return_type: Type | None = None
    where_clause: str | None = None
    body: Block | OpaqueBody | None = None
    qualifiers: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StructField(Node):
    """`name: type`; the fields of a tuple struct are named `0`, `1` and so on."""

    head: ItemHead
    name: str
    type: Type


class StructKind(Enum):
    """What the fields of a struct stand in, by the text that opens them."""

    NAMED = "{"
    TUPLE = "("
    UNIT = ";"


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct(Node):
    """`struct Name<generics> where … { fields }`; `generics_text` is as written, brackets included.

    `rest` is None but for a struct that is written in no way we know: it is then all that follows the name, as written,
    and there are no generics and no fields.
    """

    head: ItemHead
    name: str
    name_span: Span
    generics: tuple[GenericParameter, ...] = ()
    generics_text: str = ""
    where_clause: str | None = None
    kind: StructKind = StructKind.UNIT
    fields: tuple[StructField, ...] = ()
    closing_comments: tuple[Comment, ...] = ()
    rest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumVariant(Node):
    """`Name` or `Name = value`."""

    name: str
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration(Node):
    """`enum Name { A, B = 3 }` none of whose variants holds data; `rest` is what follows the name, as written."""

    head: ItemHead
    name: str
    variants: tuple[EnumVariant, ...]
    rest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasedType(Node):
    """`type Name = type;`."""

    head: ItemHead
    name: str
    type: Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Impl(Node):
    """`impl<generics> Trait for Type where … { items }`; `generics_text` and `where_clause` are as written.

    `trait` is None for an inherent impl.
    """

    head: ItemHead
    generics: tuple[GenericParameter, ...]
    generics_text: str
    trait: Type | None
    self_type: Type
    where_clause: str | None
    items: tuple[Item, ...]
    closing_comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(Node):
    """`use tree;`, the tree as written."""

    head: ItemHead
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Const(Node):
    """`const NAME: type = value;`, or `static`; `value` is an expression, or None where it is outside the subset."""

    head: ItemHead
    keyword: str
    name: str
    name_span: Span
    type: Type
    value: Expression | None
    value_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Module(Node):
    """`mod name { items }`, or `mod name;` where `items` is None."""

    head: ItemHead
    name: str
    items: tuple[Item, ...] | None
    closing_comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueItem(Node):
    """An item outside the model, found by balanced delimiters: traits, enums, `macro_rules!`, anything newer than us.

    `keyword` is its first word (`trait`, `macro_rules!`), `text` the item as written, without its head. A function has
    a `name`, a `signature` unless it is told what is wrong, and a `fault` where kernels name it.
    """

    head: ItemHead
    keyword: str
    text: str
    name: str = ""
    signature: Span | None = None
    fault: Diagnostic | None = None


Item: TypeAlias = (
    Function | Struct | Enumeration | AliasedType | Impl | Use | Const | Module | OpaqueItem
)


@dataclass(frozen=True, slots=True, kw_only=True)
class File(Node):
    """A whole source file. `docs` are the `//!` lines; `closing_comments` stand after the last item."""

    docs: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    items: tuple[Item, ...]
    header_comments: tuple[Comment, ...] = ()
    closing_comments: tuple[Comment, ...] = ()
    hygiene: Hygiene = NO_MACROS
