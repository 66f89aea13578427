"""Gives every symbol of a kernel its Python name.

A Rust name is kept wherever Python and Triton allow it.

* A name that is a keyword of Python, or that the generated module uses itself (`tl`, `range`, the
  kernels, the helper functions, a dtype parameter), gets a trailing underscore: `lambda` becomes
  `lambda_`, or `lambda__` where the kernel has a `lambda_` already. `r#type` is `type`. A parameter
  of the name of an argument of a launch (`grid`) gets one too.
* Rust has a scope for each block and allows a name to be given again; Python has one scope for a
  function. A symbol shares the Python name of an earlier one of the same Rust name where the earlier
  one is dead: it was declared in the same block and is not read again, or its block is closed. In all
  other cases it gets a number: `x_1`.
* Triton merges what the arms of a run-time `if` leave in a name, and carries the names that exist
  before a loop around it; both demand one type. So a name that exists before a block, or that the
  other arm uses, is shared in the block by symbols of exactly its type only. The counter of a loop has
  the type in which Triton counts, and shares its name with nothing in the loop: Triton up to 3.5 would
  take an assignment to it for the counter itself.
* A `tl.constexpr` cannot be assigned again: a symbol that is printed as one shares its name with
  none.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, assert_never

from transpiler.frozen import dataclass
from transpiler.ir.nodes import (
    Assign,
    Binary,
    Block,
    Break,
    Continue,
    Declare,
    Evaluate,
    For,
    If,
    Kernel,
    Let,
    LetTuple,
    Literal,
    Read,
    Return,
    Routine,
    Symbol,
    SymbolKind,
    Unary,
    While,
)
from transpiler.ir.types import (
    I32,
    POISON,
    Descriptor,
    DType,
    PointerTensor,
    Tensor,
    TupleType,
    Type,
    UnknownDimension,
    with_longs,
)
from transpiler.passes.integer import integer_range
from transpiler.target.dtypes import dtype_of_memory, memory_source
from transpiler.target.usage import children

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from transpiler.ir.nodes import Expression as IrExpression
    from transpiler.source import Span
    from transpiler.target.model import Expression
    from transpiler.target.usage import Usage

KEYWORDS = frozenset(
    {
        "False",
        "None",
        "True",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "try",
        "while",
        "with",
        "yield",
    }
)
"""The words no Python of ours accepts as a name; its soft keywords it does."""

MODULE_NAMES = frozenset(
    {
        *("Callable", "KERNELS", "Kernel", "dataclass", "float", "int", "libdevice", "range"),
        *("tl", "triton"),
    }
)
"""The names a generated module uses itself, apart from its functions."""

HOST_NAMES = frozenset(
    {
        *(
            "AbstractContextManager",
            "Any",
            "Argument",
            "ClassVar",
            "CompiledKernel",
            "Launcher",
            "RuntimeOp",
            "Sequence",
            "Tensor",
            "TypeAlias",
        ),
        *(
            "attrgetter",
            "inspect",
            "lru_cache",
            "math",
            "nullcontext",
            "once_differentiable",
            "partial",
            "super",
            "torch",
            "wrap_triton",
        ),
        *("_DTYPES", "_INTEGERS", "_MOST_INDEX", "_MOST_PROGRAMS", "_RUNS_ON_CPU"),
        *("_check_arguments", "_check_elements", "_check_grid", "_check_memory"),
        *("_check_number", "_check_overlap", "_check_tensor"),
        *("Iterator", "NamedTuple", "Self", "Shape", "_Launch", "_PLAIN_TYPES", "_Plan"),
        *("_Recorded", "_TracedLaunch", "_Unsaved", "_are_aligned", "_as_given", "_copy_of"),
        *("_guarded", "_is_large", "_is_recorded", "_is_slice", "_is_traced", "_kind"),
        *("_mark_written", "_metadata", "_on", "_operator"),
        *("_PlannedLaunch", "_Scratch", "_Stage", "_alignment", "_power_of_two"),
        *("_TUNED", "_fitting", "_is_grid", "tuned_choices"),
        *("_kept_stages", "_made_stages", "_traced_form", "_with_scratch"),
        *("_free_name", "_NAMES", "_register_backward", "_save", "_saved", "_unpacked"),
    }
)
"""The names that the host side of a module uses: no function or class of the module has one, a kernel's local may."""

HOST_BUILTINS = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "enumerate", "frozenset", "getattr", "id"),
        *("isinstance", "iter", "len", "list", "map", "max", "min", "next", "pow", "print"),
        *("property", "reversed", "round", "set", "sorted", "staticmethod", "str", "sum", "tuple"),
        *("type", "zip"),
    }
)
"""The builtins of Python that the host side of a module calls: no function of the module hides one."""

_LAUNCH_NAMES = frozenset(
    {"JITCallable", "backend", "grid", "options", "params", "specialize_impl", "warmup"}
)
"""The names that Triton's launcher uses beside the parameters of a kernel, in one of its versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelNames:
    """The Python names of one kernel.

    `stored` gives for a dtype parameter what memory holds, read off a pointer or a tile. `discards` gives
    the name that stands for `_`, by the place of the `let` and the element's index.
    """

    symbols: Mapping[Symbol, str]
    dtypes: Mapping[str, str]
    stored: Mapping[str, Expression]
    discards: Mapping[tuple[Span, int], str]


class AnyOf:
    """The names in any of several collections; a module has many names, so they are not copied together."""

    def __init__(self, *collections: Container[str]) -> None:
        self._collections = collections

    def __contains__(self, name: object) -> bool:
        for collection in self._collections:  # noqa: SIM110 - asked often, of few collections
            if name in collection:
                return True
        return False


def python_name(rust: str, forbidden: Container[str], present: frozenset[str]) -> str:
    """The Python name nearest to a Rust name that is not in `forbidden`.

    Underscores are added until the name is not in `present` either, the other names around it.
    """
    name = rust.removeprefix("r#")
    if not name.isascii():
        name = _normalised(name)
    if name not in KEYWORDS and name not in forbidden:
        return name
    name += "_"
    while name in forbidden or name in present:
        name += "_"
    return name


def _normalised(name: str) -> str:
    """The form in which Python compares identifiers."""
    from unicodedata import normalize  # noqa: PLC0415 - loads tables few files need

    return normalize("NFKC", name)


def name_kernel(
    kernel: Routine,
    usage: Usage,
    module_names: Container[str],
    widened: frozenset[Symbol] = frozenset(),
) -> KernelNames:
    """Name all symbols of a kernel, or of a function.

    `module_names` are the names of the module's functions; `usage` tells what is read where; `widened` are the
    symbols that hold i64 in the place of i32.
    """
    return _Allocator(kernel, usage, module_names, widened).run()


def are_names_of_form(names: KernelNames, widened: frozenset[Symbol]) -> bool:
    """Whether a kernel's names do for its form in which the symbols `widened` hold i64 in the place of i32.

    They do where a name is not shared by symbols that come to have different types.
    """
    widths: dict[str, bool] = {}
    return all(
        widths.setdefault(name, symbol in widened) is (symbol in widened)
        for symbol, name in names.symbols.items()
        if with_longs(symbol.type) is not symbol.type
    )


class _Allocator:
    def __init__(
        self,
        kernel: Routine,
        usage: Usage,
        module_names: Container[str],
        widened: frozenset[Symbol],
    ) -> None:
        self._widened = widened
        self._kernel = kernel
        self._usage = usage
        self._present = usage.rust_names
        self._reserved = AnyOf(MODULE_NAMES, module_names)
        self._symbols: dict[Symbol, str] = {}
        self._discards: dict[tuple[Span, int], str] = {}
        self._constants: set[str] = set()
        self._counters: dict[Symbol, frozenset[Type]] = {}
        self._ever: set[str] = set()
        self._scopes: list[dict[str, Symbol]] = []
        self._defined: dict[str, frozenset[Type]] = {}
        """The names that may exist at this place, and the types they may have there."""
        self._guards: list[dict[str, frozenset[Type]]] = []
        """For each block around this place, the names that existed before it."""

    def run(self) -> KernelNames:
        kernel = self._kernel
        dtypes = {
            parameter.name: python_name(parameter.name, self._reserved, self._present)
            for parameter in kernel.dtype_parameters
        }
        self._reserved = AnyOf(self._reserved, frozenset(dtypes.values()))
        scope: dict[str, Symbol] = {}
        launch_names = _LAUNCH_NAMES if isinstance(kernel, Kernel) else frozenset()
        forbidden = AnyOf(self._reserved, launch_names, scope)
        for symbol in (*kernel.parameters, *kernel.const_generics):
            name = python_name(symbol.name, forbidden, self._present)
            scope[name] = symbol
            self._symbols[symbol] = name
            self._define(name, symbol)
            if symbol.kind is SymbolKind.CONST_GENERIC:
                self._constants.add(name)
        self._scopes.append(scope)
        self._statements(kernel.body)
        stored = {
            dtype.name: dtype_of_memory(carrier, self._symbols[carrier])
            for dtype in kernel.dtype_parameters
            if (carrier := memory_source(kernel, dtype)) is not None
        }
        return KernelNames(
            symbols=self._symbols, dtypes=dtypes, stored=stored, discards=self._discards
        )

    # --- Blocks -----------------------------------------------------------------------------------

    def _block(
        self, block: Block, guard: dict[str, frozenset[Type]], loop: Symbol | None = None
    ) -> None:
        self._guards.append(guard)
        self._scopes.append({})
        if loop is not None:
            self._declare(loop)
        self._statements(block)
        self._scopes.pop()
        self._guards.pop()

    def _statements(self, block: Block) -> None:
        for statement in block.statements:
            match statement:
                case Let(symbol=symbol):
                    self._declare(symbol)
                case Declare(symbol=symbol):
                    # The arms of an `if` give it its value, and demand the type of what has its name before.
                    self._guards.append(dict(self._defined))
                    self._declare(symbol)
                    self._guards.pop()
                case LetTuple():
                    self._declare_elements(statement)
                case If():
                    self._conditional(statement)
                case While(body=body):
                    self._loop(body)
                case For(symbol=symbol, body=body):
                    self._counters[symbol] = self._counter_types(statement)
                    self._loop(body, symbol)
                case Assign() | Evaluate() | Return():
                    pass
                case Break() | Continue():
                    raise ValueError("`structure` takes these out")
                case _:
                    assert_never(statement)

    def _loop(self, body: Block, symbol: Symbol | None = None) -> None:
        before = dict(self._defined)
        self._block(body, before, symbol)
        self._defined = before  # what a loop's body defines is gone behind it, unlike its counter
        if symbol is not None:
            self._define(self._symbols[symbol], symbol)

    def _counter_types(self, loop: For) -> frozenset[Type]:
        """What Triton may count in: numbers it counts in 32 bits where they fit, whatever the dtype in Rust."""
        bounds = (loop.start, loop.stop, loop.step)
        type_ = self._type(loop.symbol)
        if type_ == I32 or not all(map(self._is_number, bounds)):
            return frozenset({type_})
        if not all(isinstance(bound, Literal) for bound in bounds):
            return frozenset({I32, type_})
        fits = all(
            isinstance(bound, Literal) and bound.value in integer_range(DType.I32)
            for bound in bounds
        )
        return frozenset({I32 if fits else type_})

    def _is_number(self, bound: IrExpression) -> bool:
        """Whether it is a number when Triton compiles: arithmetic on literals and constants."""
        match bound:
            case Read(symbol=symbol):
                return symbol.kind is SymbolKind.CONST_GENERIC or symbol in self._usage.constants
            case Literal() | Unary() | Binary():
                return all(map(self._is_number, children(bound)))
            case _:
                return False

    def _types(self, symbol: Symbol) -> frozenset[Type]:
        """The types that what Triton holds in the symbol may have."""
        return self._counters.get(symbol) or frozenset({self._type(symbol)})

    def _type(self, symbol: Symbol) -> Type:
        return with_longs(symbol.type) if symbol in self._widened else symbol.type

    def _conditional(self, statement: If) -> None:
        before = dict(self._defined)
        self._block(statement.then_block, before)
        after_then, self._defined = self._defined, dict(before)
        if statement.else_block is not None:
            self._block(statement.else_block, _union(before, after_then))
        self._defined = _union(after_then, self._defined)

    # --- Names ------------------------------------------------------------------------------------

    def _declare_elements(self, statement: LetTuple) -> None:
        type_ = statement.value.type
        elements = type_.elements if isinstance(type_, TupleType) else ()
        for index, symbol in enumerate(statement.symbols):
            if symbol is not None:
                self._declare(symbol)
                continue
            discard = Symbol(
                id=-1 - len(self._discards),
                name="_",
                kind=SymbolKind.LOCAL,
                type=elements[index] if index < len(elements) else POISON,
                span=statement.span,
            )
            name = self._free_name(discard)
            self._define(name, discard)
            self._discards[statement.span, index] = name

    def _declare(self, symbol: Symbol) -> None:
        name = self._free_name(symbol)
        self._symbols[symbol] = name
        self._scopes[-1][name] = symbol
        self._define(name, symbol)
        if symbol in self._usage.constants:
            self._constants.add(name)

    def _define(self, name: str, symbol: Symbol) -> None:
        self._ever.add(name)
        self._defined[name] = self._types(symbol)

    def _free_name(self, symbol: Symbol) -> str:
        base = python_name(symbol.name, self._reserved, self._present)
        return next(name for name in self._candidates(base) if self._is_free(name, symbol))

    def _candidates(self, base: str) -> Iterator[str]:
        yield base
        stem = base if base == "_" else f"{base}_"
        for number in itertools.count(1):
            if f"{stem}{number}" not in self._present:
                yield f"{stem}{number}"

    def _is_free(self, name: str, symbol: Symbol) -> bool:
        if name in self._constants or name in self._reserved:
            return False
        if symbol in self._usage.constants:
            return name not in self._ever
        for scope in self._scopes:
            owner = scope.get(name)
            if owner is not None:
                is_shadowed = scope is self._scopes[-1] and owner.name == symbol.name
                if (
                    not is_shadowed
                    or owner in self._counters
                    or not self._usage.is_dead(owner, symbol)
                ):
                    return False
        types = self._types(symbol)
        is_definite = len(types) == 1 and _is_definite(symbol.type)
        return all(
            name not in guard or (guard[name] == types and is_definite) for guard in self._guards
        )


def _union(
    left: dict[str, frozenset[Type]], right: dict[str, frozenset[Type]]
) -> dict[str, frozenset[Type]]:
    return {
        name: left.get(name, frozenset()) | right.get(name, frozenset())
        for name in {**left, **right}
    }


def _is_definite(type_: Type) -> bool:
    """Whether two values of this type are of one type in Triton too."""
    match type_:
        case Tensor() | PointerTensor():
            return not any(isinstance(extent, UnknownDimension) for extent in type_.shape)
        case Descriptor():
            return False
        case TupleType():
            return all(_is_definite(element) for element in type_.elements)
        case _:
            return True
