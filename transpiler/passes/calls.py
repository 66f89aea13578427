"""Calls of the file's own functions, and functions that operations are given to combine values with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    Descriptor,
    DType,
    DtypeParameter,
    DtypeVariable,
    LiteralKind,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    with_dtypes,
)
from transpiler.passes.advice import conversion_help
from transpiler.passes.annotations import check_annotation, resolve_dtype, resolve_type
from transpiler.passes.bounds import admitted_by, parameter_bounds
from transpiler.passes.compile_time import dimension_of, is_compile_time, may_be_constant
from transpiler.passes.elaboration import is_poison
from transpiler.passes.function_table import CallShape
from transpiler.passes.functions import Elaborator, annotation_text, instance_of, signature_of
from transpiler.passes.inline import constant_result, in_place
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.types import ElementType, Type
    from transpiler.passes.elaboration import Elaboration
    from transpiler.passes.function_table import Signature
    from transpiler.passes.items import Namespace
    from transpiler.source import Span


def call_function(
    elaborator: Elaborator, node: syntax.Call, function: syntax.Function, home: Namespace
) -> ir.Expression:
    """The value of a call of `function`, which stands in `home`."""
    state = elaborator.state
    arguments = tuple(elaborator.expression(argument) for argument in node.arguments)
    if _is_recursive(state, function, node.span):
        return state.poison(node.span)
    if len(arguments) != len(function.parameters):
        count = len(function.parameters)
        state.sink.emit(
            "E0302",
            f"`{function.name}` takes {count} argument{'' if count == 1 else 's'}, not {len(arguments)}",
            node.span,
        )
        return state.poison(node.span)
    signature = signature_of(state, function, home, node.span)
    if signature is None or is_poison(*arguments):
        return state.poison(node.span)
    path = node.callee.path if isinstance(node.callee, syntax.PathExpression) else None
    return _Call(elaborator, signature, path, node.span).run(arguments)


def _is_recursive(state: Elaboration, function: syntax.Function, span: Span) -> bool:
    if function.span.start not in state.callers:
        return False
    state.sink.emit(
        "E0602",
        f"the function `{function.name}` calls itself",
        span,
        help="write it with a loop",
    )
    return True


class _Call:
    """One use of a function: what its generics are, and whether what it is given is of its types."""

    def __init__(
        self, elaborator: Elaborator, signature: Signature, path: syntax.Path | None, span: Span
    ) -> None:
        self._elaborator = elaborator
        self._state = elaborator.state
        self._signature = signature
        self._path = path
        self._span = span
        self._errors_before = self._state.sink.error_count
        self._dtypes: dict[DtypeParameter, ElementType] = {
            parameter: self._state.solver.fresh(LiteralKind.ANY)
            for parameter in signature.dtype_parameters.values()
        }
        self._constants: list[ir.Expression] = []

    def run(self, arguments: tuple[ir.Expression, ...]) -> ir.Expression:
        """The call with these arguments."""
        state, signature = self._state, self._signature
        self._generics()
        for place, argument in enumerate(arguments):
            self._check(place, argument)
        if state.sink.error_count == self._errors_before:
            self._check_bounds()
        if state.sink.error_count > self._errors_before:
            return state.poison(self._span)
        constants = tuple(self._constants)
        instance = instance_of(
            self._elaborator,
            signature,
            CallShape(
                parameters=tuple(
                    _shaped(declared, state.type_of(argument))
                    for declared, argument in zip(signature.parameters, arguments, strict=True)
                ),
                constants=tuple(dimension_of(value, state.constants) for value in constants),
                known={
                    place: dimension_of(argument, state.constants)
                    for place, argument in enumerate(arguments)
                    if may_be_constant(state.type_of(argument))
                    and is_compile_time(argument, state.constants)
                },
            ),
            constants,
            arguments,
            self._span,
        )
        if instance is None:
            return state.poison(self._span)
        function = instance.function
        call = ir.Call(
            span=self._span,
            type=with_dtypes(function.result, self._dtypes),
            function=function.symbol,
            dtypes=tuple(self._dtypes.values()),
            constants=constants,
            arguments=arguments,
        )
        known = constant_result(state, function, call, self._dtypes)
        if known is not None:
            return known
        types = (function.result, *(parameter.type for parameter in function.parameters))
        if any(map(_is_taken_apart, types)):
            return in_place(state, function, call, self._dtypes)
        return call

    def combine(self, dtype: ElementType) -> ir.Argument | None:
        """The function as one that makes one value of two of `dtype`; None where it is at fault."""
        state, signature = self._state, self._signature
        self._generics()
        if state.sink.error_count > self._errors_before:
            return None
        types = {*signature.parameters, signature.result}
        (declared, *_) = types
        generic = declared.dtype if isinstance(declared, Scalar | Tensor) else None
        fault: str | None = None
        if len(types) != 1 or len(signature.parameters) != 2 or generic is None:
            fault = "does not make one value of two of its own type"
        elif self._constants:
            fault = "has a const generic"
        elif any(parameter != generic for parameter in self._dtypes):
            fault = "has a dtype parameter that its values do not have"
        if fault is None and generic is not None:
            actual = self._dtypes[generic] if isinstance(generic, DtypeParameter) else generic
            if not state.solver.unify(actual, dtype):
                state.sink.emit(
                    "E0401",
                    f"`{signature.function.name}` combines values of "
                    f"`{state.text(Scalar(dtype=actual))}`, not of "
                    f"`{state.text(Scalar(dtype=dtype))}`",
                    self._span,
                )
                return None
            self._check_bounds()
            if state.sink.error_count > self._errors_before:
                return None
            element = declared if isinstance(declared, Scalar) else Tensor(dtype=generic, shape=())
            instance = instance_of(
                self._elaborator,
                signature,
                CallShape(parameters=(element, element), constants=(), known={}, is_combine=True),
                (),
                (),
                self._span,
            )
            if instance is None:
                return None
            function = instance.function
            if function.result != element:
                fault = f"gives `{state.text(function.result)}` for two single values"
            elif function.symbol.effects:
                fault = "does more than compute a value"
            else:
                return ir.FunctionArgument(span=self._span, function=function.symbol)
        report_combine(state, f"`{signature.function.name}` {fault}", self._span)
        return None

    # --- Generics ---------------------------------------------------------------------------------

    def _generics(self) -> None:
        """Take down what is written in `::<…>`."""
        state, signature = self._state, self._signature
        written = iter(self._written())
        for parameter in signature.generics:
            argument = next(written, None)
            match parameter:
                case syntax.TypeParameter(name=name) if name == signature.hardware:
                    pass
                case syntax.TypeParameter(name=name):
                    dtype = None if argument is None else resolve_dtype(state, argument)
                    if dtype is not None:
                        state.solver.unify(self._dtypes[signature.dtype_parameters[name]], dtype)
                case syntax.ConstParameter():
                    self._constant(parameter, argument)

    def _written(self) -> Iterator[syntax.GenericArgument]:
        generics = None if self._path is None else self._path.segments[-1].generics
        count = len(self._signature.generics)
        if self._path is not None and generics is not None and len(generics) > count:
            self._state.sink.emit(
                "E0302",
                f"`{self._signature.function.name}` has {count} generic parameters, "
                f"not {len(generics)}",
                self._path.span,
            )
        yield from generics or ()

    def _constant(
        self, parameter: syntax.ConstParameter, argument: syntax.GenericArgument | None
    ) -> None:
        state = self._state
        match argument:
            case syntax.ConstArgument(value=value):
                given: ir.Expression | None = self._elaborator.expression(value)
            case syntax.PathType(path=path, span=span):
                given = self._elaborator.expression(syntax.PathExpression(span=span, path=path))
            case _:
                given = None
        if given is None:
            name = self._signature.function.name
            state.sink.emit(
                "E0302",
                f"the constant `{parameter.name}` of `{name}` is not given",
                self._span,
                help=f"write it: `{name}::<…>(…)`",
            )
            return
        annotation = resolve_type(state, parameter.type)
        if isinstance(given, ir.BlockValue) and not given.statements:
            given = given.value  # the braces of `{ N + 1 }`
        if is_poison(given):
            return
        if not check_annotation(state, annotation, state.type_of(given)):
            self._wrong_type(parameter.name, annotation, given)
        elif not is_compile_time(given, state.constants):
            state.sink.emit(
                "E0501",
                f"the constant `{parameter.name}` of `{self._signature.function.name}` must be "
                "known at compile time",
                given.span,
                help="use a literal, a const generic, or what is computed from them",
            )
        self._constants.append(given)

    # --- Checks -----------------------------------------------------------------------------------

    def _check(self, place: int, argument: ir.Expression) -> None:
        state = self._state
        declared = with_dtypes(self._signature.parameters[place], self._dtypes)
        if check_annotation(state, declared, state.type_of(argument)):
            return
        parameter = self._signature.function.parameters[place]
        name = (
            parameter.pattern.name
            if isinstance(parameter.pattern, syntax.IdentifierPattern)
            else "_"
        )
        self._wrong_type(name, declared, argument)

    def _wrong_type(self, name: str, declared: Type, value: ir.Expression) -> None:
        state = self._state
        state.sink.emit(
            "E0401",
            f"`{name}` of `{self._signature.function.name}` is {annotation_text(state, declared)}, "
            f"not `{state.text(value.type)}`",
            value.span,
            help=conversion_help(declared, state.type_of(value)),
        )

    def _check_bounds(self) -> None:
        """Report a dtype that the bound of the function's parameter does not admit."""
        function = self._signature.function
        bounds = parameter_bounds(function)
        for parameter, dtype in self._dtypes.items():
            match self._state.solver.resolve(dtype):
                case DType() as concrete:
                    given = {concrete}
                case DtypeParameter() as outer:
                    given = set(outer.bound.dtypes)
                case DtypeVariable():
                    continue
            known, admitted = admitted_by(bounds[parameter.name])
            if known and not given <= admitted:
                self._state.sink.emit(
                    "E0504",
                    f"`{parameter.name}` of `{function.name}` is bounded by "
                    f"{' + '.join(f'`{bound.value}`' for bound in known)}, which does not admit "
                    f"every dtype of this call",
                    self._span,
                )


def _shaped(declared: Type, given: Type) -> Type:
    """The declared type with the shape of what is given."""
    match declared, given:
        case Tensor(), Tensor(shape=shape):
            return Tensor(dtype=declared.dtype, shape=shape)
        case PointerTensor(), PointerTensor(shape=shape):
            return PointerTensor(dtype=declared.dtype, shape=shape)
        case Pointer(), Descriptor(shape=shape):
            return Descriptor(dtype=declared.dtype, shape=shape)
        case TupleType(), TupleType():
            pairs = zip(declared.elements, given.elements, strict=True)
            return TupleType(elements=tuple(_shaped(one, other) for one, other in pairs))
        case _:
            return declared


def _is_taken_apart(type_: Type, *, is_element: bool = False) -> bool:
    """Whether Triton has no such value, or, for a pointer in a tuple, whether its dtype could not be read off it."""
    match type_:
        case TupleType(elements=elements):
            return any(_is_taken_apart(element, is_element=True) for element in elements)
        case Pointer() | PointerTensor():
            return is_element
        case _:
            return isinstance(type_, Descriptor)


# --- Functions that operations are given ----------------------------------------------------------


def combine_function(
    elaborator: Elaborator, node: syntax.Expression, dtype: ElementType
) -> ir.Argument | None:
    """The function `node` names, as one that combines two values of `dtype`; None, reported, where it is none."""
    state = elaborator.state
    if isinstance(node, syntax.Closure):
        report_combine(state, "a closure is no named function", node.span)
        return None
    found = (
        state.items.resolve(node.path.names) if isinstance(node, syntax.PathExpression) else None
    )
    function, home = found or (None, None)
    if (
        not isinstance(node, syntax.PathExpression)
        or not isinstance(function, syntax.Function)
        or home is None
    ):
        report_combine(state, "this is no function of the file", node.span)
        return None
    if _is_recursive(state, function, node.span):
        return None
    signature = signature_of(state, function, home, node.span)
    if signature is None:
        return None
    return _Call(elaborator, signature, node.path, node.span).combine(dtype)


def report_combine(state: Elaboration, fault: str, span: Span) -> None:
    """Report what an operation cannot combine values with."""
    tensor = f"{state.hardware}::Tensor<D>"
    state.sink.emit(
        "E0308",
        f"values cannot be combined by this: {fault}",
        span,
        help=f"name a function: `fn add<{state.hardware}: Triton, D: Num>(a: {tensor}, b: {tensor}) "
        f"-> {tensor} {{ a + b }}`",
    )
