"""How an operation of the kernel language is described: one declarative row."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ops.signature import Form, Signature, parse_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from transpiler.ir.nodes import BinaryOperator
    from transpiler.ir.types import DType


class Effect(Enum):
    """What an operation does besides computing its result."""

    PURE = "pure"
    READS = "reads memory"
    WRITES = "writes memory"
    ATOMIC = "updates memory atomically"
    OBSERVES = "is seen by the compiler or the user"


# --- Shape rules: how the shape of the result follows from the arguments --------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeOf:
    """The shape of one argument, which has the axis, if one is named and given."""

    parameter: str
    axis: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeGiven:
    """The list argument is the shape."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeBroadcast:
    """What the arguments broadcast to."""

    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeReduced:
    """One axis of an argument, or all of them, reduced; kept with extent 1 where the flag says so.

    `is_general` tells that Triton's interpreter has no reduction of its own for it.
    """

    parameter: str
    axis: str
    keep_dims: str | None = None
    is_general: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeInterval:
    """One dimension, from one compile-time bound to another."""

    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeExpanded:
    """An argument's shape with a dimension of extent 1 put in at an axis."""

    parameter: str
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapePermuted:
    """An argument's shape in the order of a compile-time list."""

    parameter: str
    order: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeMatrixProduct:
    """`[…, M, K]` by `[…, K, N]` gives `[…, M, N]`; packed sides may count K in different units."""

    left: str
    right: str
    is_packed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeExtent:
    """One dimension of a compile-time extent, made of a vector."""

    vector: str
    extent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeJoined:
    """What two arguments broadcast to, with a last dimension of extent 2."""

    parameters: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeHalves:
    """An argument's shape without its last dimension, whose extent is 2."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeDoubled:
    """The shape of two arguments with the last dimension twice as long; of vectors alone where it says so."""

    left: str
    right: str
    is_vector: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRavelled:
    """All elements of an argument in one dimension."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeOfLastAxis:
    """The shape of an argument; the axis, if any is given, must be its last."""

    parameter: str
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeGathered:
    """The shape of the indices: that of the source, but along one axis."""

    source: str
    index: str
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeDescribed:
    """The tile shape a descriptor was made with."""

    parameter: str


ShapeRule: TypeAlias = (
    ShapeOf
    | ShapeGiven
    | ShapeBroadcast
    | ShapeReduced
    | ShapeInterval
    | ShapeExpanded
    | ShapePermuted
    | ShapeMatrixProduct
    | ShapeExtent
    | ShapeJoined
    | ShapeHalves
    | ShapeDoubled
    | ShapeRavelled
    | ShapeOfLastAxis
    | ShapeGathered
    | ShapeDescribed
    | None
)


# --- Range rules: between which integers the result lies -------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeWithin:
    """It is at least `low`, and at most `high` where that is given."""

    low: int
    high: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeBetween:
    """It counts from one argument up to another, that one left out."""

    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeOf:
    """It is one of these arguments, or made of their elements."""

    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeLargest:
    """It is the larger of two arguments."""

    parameters: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeSmallest:
    """It is the smaller of two arguments."""

    parameters: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeClamped:
    """It is the first argument held between the second and the third."""

    parameters: tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeMagnitude:
    """It is the absolute value of an argument."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeRoundedUp:
    """It is the quotient of two arguments, rounded up."""

    parameters: tuple[str, str]


RangeRule: TypeAlias = (
    RangeWithin
    | RangeBetween
    | RangeOf
    | RangeLargest
    | RangeSmallest
    | RangeClamped
    | RangeMagnitude
    | RangeRoundedUp
    | None
)


_LANEWISE_FAMILIES = frozenset({"math", "compare", "random"})


@dataclass(frozen=True, kw_only=True)
class Op:
    """One operation.

    `signature` is its Rust signature in the notation of `transpiler.ops.signature`. `triton` is its spelling: a
    Python expression in which a name of a parameter stands for the argument and a name of a generic for the dtype;
    a keyword argument that is just a parameter is left out where the Rust passes `None`, `false` or an empty list,
    and names with a leading underscore are functions of `transpiler.target.prelude`. `shape` gives the result's
    shape, None where the signature says it all. `fits` pairs arguments with the argument whose shape they must
    broadcast to. `converts` names scalar arguments that Triton itself converts to the dtype of the result.
    `keeps_constants` tells that Triton computes a constant from constants. `is_stored` tells that the result comes
    from memory, in the stored dtype; `takes_stored` names arguments that may be in it too, and `narrows` those that
    are narrowed to it. `keeps_precision` tells that the result is in the dtype its tiles are in, that of memory or
    that of arithmetic, and where it is made of none, in the one that is wanted. `dtypes` limits a generic further
    than its bound where Triton does. `instances` says which combinations of dtypes it has, in the order of the
    generics, where these depend on each other. `elsewhere` is the spelling where a dtype may be none of
    `spelled_for`, which are those `triton` is for. `ignores` names arguments that change nothing.
    `takes_zeros_as_one` tells that the sign of a zero among its arguments changes nothing. `range` tells where an
    integer result lies, None where anywhere in its dtype. `summary` is one sentence for the docs.

    `any_width` tells that integers of 32 bits among its arguments, and in its result, may all be 64 bits wide: they
    are the same numbers then. `addresses` names arguments that count elements of memory.

    `as_long` pairs lists with the argument whose rank is their length. `given` is the spelling where an optional
    argument is given, by its name.

    What analyses ask: `identity` is the value that changes nothing in a reduction, None where the operation is none or
    has none. `value` computes an element of the result from those of the tensors and scalars it is made of. `operator`
    is the operator it is. `copies` names the argument whose elements the result holds, each where broadcasting puts
    it. `selects` names the condition, what is taken where it holds, and what elsewhere. `combines` says what makes one
    element of two, in a reduction or in memory that is updated: an operator, or the name of an operation.
    """

    name: str
    family: str
    signature: str
    triton: str
    summary: str
    shape: ShapeRule = None
    fits: tuple[tuple[str, str], ...] = ()
    as_long: tuple[tuple[str, str], ...] = ()
    converts: tuple[str, ...] = ()
    keeps_constants: bool = False
    effect: Effect = Effect.PURE
    is_stored: bool = False
    takes_stored: tuple[str, ...] = ()
    narrows: tuple[str, ...] = ()
    keeps_precision: bool = False
    dtypes: dict[str, frozenset[DType]] = field(default_factory=dict)
    instances: tuple[tuple[DType, ...], ...] = ()
    spelled_for: dict[str, frozenset[DType]] = field(default_factory=dict)
    elsewhere: str | None = None
    given: dict[str, str] = field(default_factory=dict)
    ignores: tuple[str, ...] = ()
    takes_zeros_as_one: bool = False
    range: RangeRule = None
    identity: float | None = None
    value: Callable[..., float] | None = None
    operator: BinaryOperator | None = None
    copies: str = ""
    selects: tuple[str, str, str] | None = None
    combines: BinaryOperator | str | None = None
    is_program_id: bool = False
    any_width: bool = False
    addresses: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def parsed(self) -> Signature:
        """The signature, taken apart."""
        return parse_signature(self.signature)

    @property
    def is_lanewise(self) -> bool:
        """Whether an element of the result depends on the elements in its place alone, wherever that is."""
        if self.effect is not Effect.PURE or not (self.copies or self.family in _LANEWISE_FAMILIES):
            return False
        match self.shape:
            case ShapeOf(axis=axis):
                return axis is None
            case ShapeBroadcast() | None:
                return True
            case _:
                return False

    @cached_property
    def combined(self) -> str | None:
        """The generic whose values the function it is given combines; None where it is given none."""
        for parameter in self.parsed.parameters:
            if parameter.kind.form is Form.FUNCTION and isinstance(parameter.kind.dtype, str):
                return parameter.kind.dtype
        return None

    def spelling(self, admitted: Iterable[Iterable[DType]], given: Container[str]) -> str:
        """The spelling for generics whose dtypes may be those `admitted`, in the order of the signature.

        `given` are the arguments that are there.
        """
        for name, spelling in self.given.items():
            if name in given:
                return spelling
        if self.elsewhere is not None:
            for (name, _), dtypes in zip(self.parsed.generics, admitted, strict=True):
                if name in self.spelled_for and not self.spelled_for[name].issuperset(dtypes):
                    return self.elsewhere
        return self.triton
