"""What the names in an implementation lead to: types, structs, kernels, functions and constants."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frozen import dataclass
from transpiler.host.trait import PARAMETERS
from transpiler.host.types import (
    BOOL,
    FLOATS,
    INPUT,
    INTEGERS,
    PHANTOM,
    POINTER,
    SHAPE,
    TEXT,
    UNIT,
    VISITOR,
    HostError,
    HostType,
    Opaque,
    Option,
    Scalar,
    Sequence,
    Structure,
    Tuple,
    Variable,
)
from transpiler.passes.cfg import is_enabled
from transpiler.syntax import nodes as syntax
from transpiler.syntax.printer import print_type
from transpiler.target.names import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from transpiler.ir import nodes as ir
    from transpiler.passes.cfg import Features
    from transpiler.passes.items import Namespace
    from transpiler.source import SourceFile


AXIS_MEMBERS = frozenset(
    {"backward_kernel", "dtype", "forward_kernel", "id", "launch", "name", "source", *PARAMETERS}
)
"""What the Python classes of operators and launchers have besides fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """A function of the Rust: how it is called, the types of what it takes and gives, and where it looks up names."""

    function: syntax.Function
    home: Namespace
    parameters: tuple[HostType, ...]
    result: HostType
    visitor: int | None

    @property
    def takes_self(self) -> bool:
        """Whether it is called on a value."""
        return self.function.receiver is not None


@dataclass(slots=True, kw_only=True, eq=False)
class Implementation:
    """A struct and what is implemented on it: where its bodies look up what they name.

    `fields` are those of the struct that hold something, `routines` its functions, `kernel` the kernel whose struct it
    is, `type_parameters` the bounds of each, `name_of` the Python name of a function of the file. `kernels` are all of
    the file, by the names of their structs. `sizes` are the fields that a method takes for sizes, so that none may be
    negative; `counts` tells of roles such as `inputs` how many tensors have them, where that is known.
    """

    name: str
    source: SourceFile
    features: Features
    home: Namespace
    kernels: Mapping[str, ir.Kernel]
    type_parameters: Mapping[str, tuple[str, ...]]
    name_of: Callable[[syntax.Function], str]
    kernel: ir.Kernel | None = None
    fields: dict[str, HostType] = field(default_factory=dict)
    routines: dict[str, Routine] = field(default_factory=dict)
    constants: dict[str, syntax.Const] = field(default_factory=dict)
    sizes: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)

    def python_field(self, name: str) -> str:
        """The name of a field in Python: one that a method has too, or the base class, ends in an underscore."""
        plain = name.removeprefix("r#")
        is_taken = plain in self.routines or plain in AXIS_MEMBERS or plain in KEYWORDS
        return f"{plain}_" if is_taken else plain

    def python_method(self, name: str) -> str:
        """The name of a method in Python: one of the base class that the trait does not have ends in an underscore."""
        plain = name.removeprefix("r#")
        is_taken = plain not in PARAMETERS and (plain in AXIS_MEMBERS or plain in KEYWORDS)
        return f"{plain}_" if is_taken else plain

    def struct_of(self, kernel: ir.Kernel) -> str:
        """The name of the class that launches a kernel."""
        return next(name for name, each in self.kernels.items() if each is kernel)

    def keeps(self, attributes: tuple[syntax.Attribute, ...]) -> bool:
        """Whether the features keep what stands under the attributes."""
        return is_enabled(attributes, self.features, Sink())

    def kernel_of(self, names: tuple[str, ...]) -> ir.Kernel | None:
        """The kernel whose struct a path leads to."""
        if names == ("Self",):
            return self.kernel
        for path in self.home.elsewhere(names):
            if path[-1] in self.kernels:
                return self.kernels[path[-1]]
        return None

    @contextmanager
    def within(self, home: Namespace) -> Iterator[None]:
        """Look up names in another module of the file."""
        outer, self.home = self.home, home
        try:
            yield
        finally:
            self.home = outer

    def routine(self, function: syntax.Function) -> Routine:
        """How a function of this module is called."""
        bounds = dict(self.type_parameters)
        for generic in function.generics:
            if isinstance(generic, syntax.TypeParameter):
                bounds[generic.name] = tuple(path.names[-1] for path in generic.bounds)
        parameters = tuple(self.type_of(each.type, bounds) for each in function.parameters)
        visitor = next((i for i, it in enumerate(parameters) if it == VISITOR), None)
        returns = function.return_type
        return Routine(
            function=function,
            home=self.home,
            parameters=parameters,
            result=UNIT if returns is None else self.type_of(returns, bounds),
            visitor=visitor,
        )

    def type_of(
        self, written: syntax.Type, bounds: Mapping[str, tuple[str, ...]] | None = None
    ) -> HostType:
        """The type that is written.

        Raises:
            HostError: it is none that host code is translated for.
        """
        bounds = self.type_parameters if bounds is None else bounds
        match written:
            case syntax.ReferenceType(referent=referent):
                return self.type_of(referent, bounds)
            case syntax.TupleType(elements=()):
                return UNIT
            case syntax.TupleType(elements=elements):
                types = tuple(self.type_of(each, bounds) for each in elements)
                return INPUT if types == (POINTER, SHAPE) else Tuple(types)
            case syntax.ArrayType(element=element, length=length):
                return Sequence(self.type_of(element, bounds), is_array=length is not None)
            case syntax.PointerType(pointee=pointee):
                return Opaque(f"*{print_type(pointee)}")
            case syntax.InferredType():
                return Variable()
            case syntax.OpaqueType(text=text) if "ArgVisitor" in text:
                return VISITOR
            case syntax.PathType(path=path):
                return self._named(path, bounds, written)
            case _:
                raise self._unknown(written)

    def _unknown(self, written: syntax.Type) -> HostError:
        return HostError(
            written.span,
            f"the type `{print_type(written)}`",
            "host code knows numbers, `bool`, texts, slices, vectors, tuples and options of them",
        )

    def _named(
        self, path: syntax.Path, bounds: Mapping[str, tuple[str, ...]], written: syntax.Type
    ) -> HostType:
        name = path.names[-1]
        given = [
            each
            for each in path.segments[-1].generics or ()
            if not isinstance(
                each, syntax.AssociatedTypeArgument | syntax.LifetimeArgument | syntax.ConstArgument
            )
        ]
        if name in bounds and len(path.names) == 1:
            return VISITOR if "ArgVisitor" in bounds[name] else Opaque(name)
        if name in INTEGERS or name in FLOATS:
            return Scalar(name)
        match name, given:
            case "bool", _:
                return BOOL
            case (("str" | "String"), _):
                return TEXT
            case (("Vec" | "Box" | "Arc" | "Rc"), [inner]):
                found = self.type_of(inner, bounds)
                return Sequence(found) if name == "Vec" else found
            case "Option", [inner]:
                return Option(self.type_of(inner, bounds))
            case "RawPtr", _:
                return POINTER
            case "ArgVisitor", _:
                return VISITOR
            case "PhantomData", _:
                return PHANTOM
            case "Self", _:
                return Structure(self.name, is_kernel=self.kernel is not None)
            case _:
                pass
        found_item = self.home.resolve(path.names)
        if found_item is not None and isinstance(found_item[0], syntax.AliasedType):
            return self.type_of(found_item[0].type, bounds)
        kernel = self.kernel_of(path.names)
        if kernel is not None:
            return Structure(kernel.name, is_kernel=True)
        if name == self.name:
            return Structure(self.name)
        raise self._unknown(written)
