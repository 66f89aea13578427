"""The host side of a file: the operators of its implementations of `RuntimeOp`, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.host.assembly import Assembly, KernelError, PackingError
from transpiler.host.functions import Functions
from transpiler.host.items import implementations, methods_of
from transpiler.host.kernels import Kernels
from transpiler.host.methods import Bodies, Methods
from transpiler.host.plan import HostPlan
from transpiler.host.struct_names import snake_case
from transpiler.host.stubs import only_panics
from transpiler.host.surroundings import Implementation
from transpiler.host.trait import PARAMETERS
from transpiler.host.types import HostError, UnknownError
from transpiler.syntax import nodes as syntax
from transpiler.target.names import HOST_NAMES, MODULE_NAMES

if TYPE_CHECKING:
    from transpiler.analysis.kernel_accesses import Accesses
    from transpiler.diagnostics.sink import Sink
    from transpiler.host.items import Found
    from transpiler.host.plan import Operator
    from transpiler.ir import nodes as ir
    from transpiler.ir.description import KernelPlan
    from transpiler.passes.cfg import Features
    from transpiler.source import SourceFile

_NOTHING = HostPlan()


def plan_host(
    file: syntax.File,
    source: SourceFile,
    features: Features,
    module: ir.Module,
    plans: tuple[KernelPlan, ...],
    accesses: Accesses,
    sink: Sink,
    *,
    is_whole: bool = True,
) -> HostPlan:
    """The host side of a file whose kernels are translated.

    Args:
        file: the file.
        source: its text.
        features: the features that are on.
        module: its kernels, and the functions they call.
        plans: what is known of its kernels.
        accesses: what they touch.
        sink: where it is told which implementations become no operators, and why.
        is_whole: whether `plans` are all its kernels; otherwise nothing is said of operators of the others.
    """
    planner = _Planner(file, source, features, plans, accesses, sink, is_whole=is_whole)
    operators: dict[str, Operator] = {}
    names: set[str] = set()
    for found in implementations(file, features):
        operator = planner.operator(found)
        if operator is None:
            continue
        if operator.name in names:
            operator = replace(operator, name=snake_case(operator.struct_name))
        if operator.struct_name in operators or operator.name in names:
            sink.emit(
                "W0901",
                f"`{found.name}` becomes no operator: there is one of that name",
                found.impl.self_type.span,
            )
            continue
        names.add(operator.name)
        operators[operator.struct_name] = operator
    pairs = _NOTHING
    if any(plan.kernel.backward is not None for plan in plans):
        from transpiler.host.pairs import pair_plan  # noqa: PLC0415 - few kernels name their backward

        used = frozenset(it.forward.name for it in operators.values())
        pairs = pair_plan(module, plans, file, sink, used)
    return HostPlan(
        operators=(*operators.values(), *pairs.operators),
        pairs=pairs.pairs,
        functions=planner.functions.all(),
        support=planner.functions.support(),
    )


class _Planner:
    """Makes the operators of one file; what they call besides is in `functions`."""

    def __init__(
        self,
        file: syntax.File,
        source: SourceFile,
        features: Features,
        plans: tuple[KernelPlan, ...],
        accesses: Accesses,
        sink: Sink,
        *,
        is_whole: bool,
    ) -> None:
        self.functions = Functions()
        self._source = source
        self._features = features
        self._sink = sink
        self._is_whole = is_whole
        self._bodies = Bodies(source)
        self._kernels = Kernels(plans, accesses, file, features)

    def operator(self, found: Found) -> Operator | None:
        """The operator of an implementation; where there is none, it is told why."""
        written = map(self._bodies.of, methods_of(found.impl, self._features))
        if only_panics(it for it in written if it is not None):
            self._sink.emit(
                "R0901",
                f"`{found.name}` has no host side yet: its methods only panic",
                found.impl.self_type.span,
                label="no operator is made of it",
                help="launch its kernel by its launcher",
            )
            return None
        try:
            methods = Methods(self._owner(found), self._bodies)
            operator = Assembly(found, methods, self._kernels).operator()
            self.functions.add(methods)
        except KernelError as error:
            if self._is_whole:
                _leave_out(found, error, self._sink)
        except HostError as error:
            _leave_out(found, error, self._sink)
        except PackingError as error:
            _refuse(found, error, self._sink)
        else:
            return operator
        return None

    def _owner(self, found: Found) -> Implementation:
        structs = self._kernels.structs
        owner = Implementation(
            name=found.name,
            source=self._source,
            features=self._features,
            home=found.home,
            kernels=structs,
            type_parameters={
                each.name: tuple(bound.names[-1] for bound in each.bounds)
                for each in found.impl.generics
                if isinstance(each, syntax.TypeParameter)
            },
            name_of=self.functions.name_of,
            kernel=structs.get(found.name) if found.struct is None else None,
        )
        if found.name in HOST_NAMES or found.name in MODULE_NAMES:
            raise UnknownError(
                found.impl.self_type.span,
                f"the module uses the name `{found.name}` itself",
                "give the struct another name",
            )
        _declare(owner, found, self._features)
        return owner


def _declare(owner: Implementation, found: Found, features: Features) -> None:
    """What the struct holds, and the functions and constants that are implemented on it."""
    for field in () if found.struct is None else found.struct.fields:
        owner.fields[field.name] = owner.type_of(field.type)
    for impl in (found.impl, *found.inherent):
        is_trait = impl is found.impl
        for function in methods_of(impl, features):
            if function.name in owner.routines:
                raise HostError(
                    function.name_span, f"a second `{function.name}`", "give it another name"
                )
            try:
                owner.routines[function.name] = owner.routine(function)
            except HostError:
                if function.name == "new" or (is_trait and function.name in PARAMETERS):
                    raise
        for item in impl.items:
            if isinstance(item, syntax.Const):
                owner.constants[item.name] = item


def _leave_out(found: Found, error: HostError, sink: Sink) -> None:
    is_clause = isinstance(error, UnknownError)
    own = found.impl.self_type.span
    sink.emit(
        "W0901",
        f"`{found.name}` becomes no operator: {error.message}"
        + ("" if is_clause else " is not modelled"),
        error.span,
        related=() if error.span == own else (Label(span=own, message="the operator"),),
        help=error.instead or None,
    )


def _refuse(found: Found, error: PackingError, sink: Sink) -> None:
    visit, parameter = error.mismatch
    kernel = error.kernel
    if visit is None and parameter is not None:
        sink.emit(
            "E0901",
            f"`{found.name}` packs too few arguments for the kernel `{kernel.name}`",
            error.method,
            related=(Label(span=parameter.span, message="nothing is packed for this one"),),
            help=f"pack all {len(kernel.parameters)}, in the order of the kernel's parameters",
        )
    elif visit is not None and parameter is None:
        sink.emit(
            "E0901",
            f"`{found.name}` packs more arguments than the kernel `{kernel.name}` takes",
            visit.span,
            label="there is no parameter for this one",
            related=(
                Label(
                    span=kernel.name_span, message=f"it takes {len(kernel.parameters)} arguments"
                ),
            ),
        )
    elif visit is not None and parameter is not None:
        sink.emit(
            "E0901",
            f"`{found.name}` packs another kind of argument than the kernel `{kernel.name}` takes",
            visit.span,
            label=f"this packs `{visit.kind}`",
            related=(
                Label(
                    span=parameter.span,
                    message=f"`{parameter.name}` is in its place, by the order of the parameters",
                ),
            ),
        )
