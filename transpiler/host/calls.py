"""Calls of host code: functions, structs of kernels, and methods by their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.iterator_methods import ITERATOR_METHODS
from transpiler.host.number_methods import BOOL_METHODS, FLOAT_METHODS, INTEGER_METHODS
from transpiler.host.option_methods import OPTION_METHODS
from transpiler.host.sequence_methods import (
    POINTER_METHODS,
    SEQUENCE_METHODS,
    TEXT_METHODS,
)
from transpiler.host.types import (
    FLOATS,
    INTEGERS,
    POINTER,
    TEXT,
    USIZE,
    HostError,
    HostType,
    Iterator,
    Opaque,
    Option,
    Scalar,
    Sequence,
    Structure,
    Variable,
    inner_of,
    is_float,
    is_integer,
    resolved,
    settled,
    text_of,
)
from transpiler.host.values import (
    NONE,
    Maybe,
    Value,
    call,
    number,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Call,
    List,
    Name,
    Text,
    dotted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.number_methods import Rule
    from transpiler.source import Span

from transpiler.host.fields import Fields

_SIZES = {"bool": 1, **{name: bits // 8 for name, bits in INTEGERS.items()}, "f32": 4, "f64": 8}


_KEEPING = frozenset({"unwrap_or", "copied", "cloned", "clone", "max", "min", "to_vec"})


def _table(type_: HostType) -> Mapping[str, Rule]:
    match type_:
        case Option():
            return OPTION_METHODS
        case Sequence():
            return SEQUENCE_METHODS
        case Iterator():
            return ITERATOR_METHODS
        case Opaque():
            return POINTER_METHODS
        case Scalar(name="bool"):
            return BOOL_METHODS
        case Scalar(name="str"):
            return TEXT_METHODS
        case _ if is_float(type_):
            return FLOAT_METHODS
        case _ if is_integer(type_):
            return INTEGER_METHODS
        case _:
            return {}


class Calls(Fields):
    """Lowers calls, and gives the rules of methods what they ask for."""

    def _call(  # noqa: C901 - one case a function
        self, node: syntax.Call, expected: HostType | None
    ) -> Value:
        if not isinstance(node.callee, syntax.PathExpression):
            raise HostError(node.span, "a call of this", "call a function by its name")
        path = node.callee.path
        names = path.names
        local = self.local(names[0]) if len(names) == 1 else None
        if local is not None and local.value.closure is not None:
            return self.called_closure(local, node)
        match names[-1], node.arguments:
            case "Some", (inner,) if len(names) == 1:
                value = self.value(inner, inner_of(expected) if expected is not None else None)
                if isinstance(resolved(value.type), Option):
                    raise HostError(node.span, "an option of an option", "use one option")
                return Value(
                    type=Option(value.type), maybe=Maybe(condition=Name("True"), value=value)
                )
            case (("null_mut" | "null"), ()):
                return Value(type=POINTER, expression=NONE)
            case "size_of", ():
                return self._size_of(path, node.span)
            case (("new" | "with_capacity"), _) if len(names) >= 2 and names[-2] == "Vec":
                wanted = resolved(expected) if expected is not None else None
                element = wanted.element if isinstance(wanted, Sequence) else Variable()
                return Value(type=Sequence(element), expression=List(()))
            case (("min" | "max"), (a, b)):
                first = self.value(a)
                second = self.value(b, first.type)
                self.same(first.type, second.type, node.span)
                lows = [it.low for it in (first, second) if it.low is not None]
                low = max(lows, default=None) if names[-1] == "max" else None
                if names[-1] == "min" and len(lows) == 2:
                    low = min(lows)
                return Value(
                    type=first.type,
                    expression=call(names[-1], first.expression, second.expression),
                    low=low,
                )
            case (("from" | "try_from"), (inner,)) if len(names) == 2 and names[0] in INTEGERS:
                value = self.value(inner)
                return self._resized(value, settled(value.type), Scalar(names[0]))
            case ("String", ()) | ("new", ()) if names[0] == "String":
                return Value(type=TEXT, expression=Text(""))
            case ("from", (inner,)) if names[0] == "String":
                return self.value(inner).typed(TEXT)
            case "new", _ if len(names) >= 2:
                return self._constructed(node, names[:-1])
            case _:
                pass
        if len(names) == 2 and names[0] in {"Self", self.owner.name}:
            routine = self.owner.routines.get(names[1])
            if routine is not None:
                receiver = Name("self") if self.has_self else None
                return self.called(routine, node.arguments, node.span, receiver=receiver)
        found = self.owner.home.resolve(names)
        if found is not None and isinstance(found[0], syntax.Function):
            with self.owner.within(found[1]):
                routine = self.owner.routine(found[0])
            return self.called(routine, node.arguments, node.span)
        raise HostError(
            node.span,
            f"a call of `{'::'.join(names)}`",
            "functions have to be those of this file or of the standard library's numbers and slices",
        )

    def _size_of(self, path: syntax.Path, span: Span) -> Value:
        generics = path.segments[-1].generics or ()
        match generics:
            case (syntax.PathType(path=inner),):
                name = inner.names[-1]
            case _:
                raise HostError(span, "the size of this", "write `size_of::<D>()`")
        if name in _SIZES:
            return Value(type=USIZE, expression=number(_SIZES[name]), low=1)
        if name not in self.owner.type_parameters:
            raise HostError(span, f"the size of `{name}`", "write `size_of::<D>()`")
        if len(self.owner.type_parameters) > 1:
            raise HostError(
                span, f"the size of `{name}` where there are several dtypes", "write it"
            )
        self.needs_dtype = True
        return Value(type=USIZE, expression=dotted("self.dtype.itemsize"), low=1)

    def _constructed(self, node: syntax.Call, names: tuple[str, ...]) -> Value:
        """`Kernel::<D>::new(constants)`."""
        kernel = self.owner.kernel_of(names)
        if kernel is None:
            raise HostError(
                node.span, f"a call of `{'::'.join(names)}::new`", "hold structs of kernels only"
            )
        values = [self.value(each) for each in node.arguments]
        plain = tuple(
            self.plain(it, each.span) for it, each in zip(values, node.arguments, strict=True)
        )
        if len(plain) != len(kernel.const_generics):
            raise HostError(
                node.span,
                f"{len(plain)} constants for `{kernel.name}`, which has {len(kernel.const_generics)}",
                "pass one for each const generic",
            )
        self.constructed.append((kernel, plain))
        return Value(
            type=Structure(kernel.name, is_kernel=True),
            expression=Call(Name(self.launcher(kernel)), plain),
        )

    def _method(self, node: syntax.MethodCall, expected: HostType | None) -> Value:
        receiver = self.value(node.receiver, expected if node.method in _KEEPING else None)
        type_ = resolved(receiver.type)
        if (isinstance(type_, Structure) and not type_.is_kernel) or self.is_self(node.receiver):
            routine = self.owner.routines.get(node.method)
            if routine is not None:
                return self.called(routine, node.arguments, node.span, receiver=receiver.expression)
            default = self.default_method(node)
            if default is not None:
                return default
        rule = _table(type_).get(node.method)
        if rule is None:
            raise HostError(
                node.method_span,
                f"the method `{node.method}` of `{text_of(type_)}`",
                "host code knows the usual methods of numbers, slices, iterators and options",
            )
        if node.method in {"sum", "product"} and expected is not None:
            element = resolved(type_.element) if isinstance(type_, Iterator) else None
            if isinstance(element, Variable):
                self.same(element, expected, node.span)
        if isinstance(type_, Sequence):
            receiver = replace(receiver, expression=self.plain(receiver, node.span))
        return rule(self, receiver, node)

    def argument(self, node: syntax.MethodCall, index: int, expected: HostType | None) -> Value:
        """An argument of a method call."""
        if index >= len(node.arguments):
            raise HostError(node.span, f"`{node.method}` of these arguments", "pass what it takes")
        given = node.arguments[index]
        value = self.value(given, expected)
        if expected is not None:
            self.same(value.type, expected, given.span)
        return value

    def closure(self, node: syntax.MethodCall, index: int) -> syntax.Closure:
        """An argument of a method call that is a closure."""
        given = node.arguments[index] if index < len(node.arguments) else None
        if isinstance(given, syntax.Closure):
            return given
        if isinstance(given, syntax.PathExpression):
            local = self.local(given.path.names[0]) if len(given.path.names) == 1 else None
            if local is not None and local.value.closure is not None:
                return local.value.closure
        raise HostError(
            node.span if given is None else given.span, "a function here", "write a closure"
        )

    def named_type(self, node: syntax.MethodCall) -> HostType | None:
        """The type that a method call names: `sum::<usize>()`."""
        match node.generics:
            case (first,) if not isinstance(
                first,
                syntax.AssociatedTypeArgument | syntax.LifetimeArgument | syntax.ConstArgument,
            ):
                return self.owner.type_of(first)
            case _:
                return None

    def is_element(self, name: str) -> bool:
        """Whether `*mut D` counts in elements of the tensors."""
        inner = name.removeprefix("*")
        return name.startswith("*") and (inner in self.owner.type_parameters or inner in FLOATS)
