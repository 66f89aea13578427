"""The stages in order for one source text; pure: text in, result out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.footprint import Footprints
from transpiler.analysis.kernel_accesses import Accesses
from transpiler.diagnostics.model import Severity
from transpiler.diagnostics.sink import Sink
from transpiler.emit.line_map import LineMap
from transpiler.emit.module import emit_module
from transpiler.frontend.macros.presence import calls_own_macros
from transpiler.frontend.parser import parse_file
from transpiler.frozen import dataclass
from transpiler.host.plan import DEFAULT_NAMESPACE, HostPlan
from transpiler.ir import nodes as ir
from transpiler.ir.description import KernelPlan, OperatorFacts
from transpiler.lints.allowed import unknown_allowances, without_allowed
from transpiler.lints.changed_name import changed_names
from transpiler.lints.registry import run_lints
from transpiler.optimise.flags import NO_OPTIMISATION, OptimiseOptions
from transpiler.optimise.remarks import Remark, Remarks
from transpiler.passes.cfg import Features
from transpiler.passes.context import PassContext
from transpiler.passes.elaborate import elaborate
from transpiler.passes.launch_facts import function_facts, launch_facts
from transpiler.passes.pipeline import FINISH, PREPARE, run_passes
from transpiler.passes.specialise import block_sizes, specialise
from transpiler.passes.wide_indices import wide_forms
from transpiler.syntax.nodes import Impl, Module
from transpiler.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.frontend.macros.origins import Expansion
    from transpiler.ir.launch_plan import LaunchPlan, Stage
    from transpiler.ir.types import DType
    from transpiler.passes.pipeline import Observer as PassObserver
    from transpiler.source import SourceFile
    from transpiler.syntax import nodes as syntax

    Observer = Callable[[str, str], None]
    """Is given the name of each pass and transform, and the text of a kernel or function after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to translate and which specialisations to emit.

    Attributes:
        features: the features that are on where `default_features` is False.
        default_features: every feature is on.
        kernels: the names of the kernels to translate; empty for all.
        blocks: for const generics, the values to specialise for, in the order wanted.
        dtypes: the dtypes to specialise for; None for all that a kernel offers.
        op_namespace: the namespace of the torch operators.
        allowed: the codes of warnings not to give, or their beginnings.
        denies_warnings: a warning is as bad as an error.
        optimise: whether the launchers launch what the optimiser makes of the kernels, and by which transforms.
    """

    features: frozenset[str] = frozenset()
    default_features: bool = True
    kernels: tuple[str, ...] = ()
    blocks: tuple[tuple[str, tuple[int, ...]], ...] = ()
    dtypes: tuple[DType, ...] | None = None
    op_namespace: str = DEFAULT_NAMESPACE
    allowed: tuple[str, ...] = ()
    denies_warnings: bool = False
    optimise: OptimiseOptions = NO_OPTIMISATION

    def text(self) -> str:
        """The options that decide what is written, as one would type them, in one fixed order, or `defaults`."""
        words: list[str] = []
        if not self.default_features:
            words.append("--no-default-features")
        if self.features:
            words.append(f"--features {','.join(sorted(self.features))}")
        if self.kernels:
            words.append(f"--kernel {','.join(self.kernels)}")
        words += [f"--block {name}={','.join(map(str, values))}" for name, values in self.blocks]
        if self.dtypes is not None:
            words.append(f"--dtype {','.join(dtype.value for dtype in self.dtypes)}")
        if self.optimise.is_on:
            words += ["-O", *(f"-fno-{flag}" for flag in sorted(self.optimise.off))]
            if self.optimise.tuned is not None:
                words.append(f"--specialise-from {self.optimise.tuned.origin}")
        if self.op_namespace != DEFAULT_NAMESPACE:
            words.append(f"--op-namespace {self.op_namespace}")
        return " ".join(words) or "defaults"


DEFAULT_OPTIONS = Options()


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one source text.

    `text` is the generated module, None where there are errors; `line_map` leads from its lines
    back to the Rust. `plans` describe the kernels, `operators` what torch can call. `syntax` and `module` are the
    stages in between, as far as they were reached. `remarks` are the optimiser's.
    """

    source: SourceFile
    diagnostics: tuple[Diagnostic, ...]
    text: str | None
    plans: tuple[KernelPlan, ...]
    line_map: LineMap | None
    syntax: syntax.File | None
    module: ir.Module | None
    remarks: tuple[Remark, ...] = ()
    operators: tuple[OperatorFacts, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a module."""
        return self.text is not None

    @property
    def kernels(self) -> tuple[KernelPlan, ...]:
        """The kernels of the module: each with its facts and its specialisations."""
        return self.plans


def transpile_source(
    source: SourceFile, options: Options = DEFAULT_OPTIONS, observe: Observer | None = None
) -> Result:
    """Translate one source text; `observe` sees its kernels and functions on the way.

    Faults of the Rust are in the result's diagnostics. An exception is a fault of the compiler.
    """
    sink = Sink()
    if not calls_own_macros(source.text):
        return _translate(source, options, sink, observe)
    from transpiler.frontend.macros.expansion import expand  # noqa: PLC0415 - few files define macros
    from transpiler.frontend.macros.origins import ExpandedSource  # noqa: PLC0415

    expansion = expand(source.text, sink)
    if expansion is None:
        return _translate(source, options, sink, observe)
    expanded = Sink()
    result = _translate(
        ExpandedSource(source, expansion),
        options,
        expanded,
        observe,
        expansion,
        is_sound=not sink.has_errors,
    )
    for found in result.diagnostics:
        sink.add(expansion.placed(found))
    has_failed = sink.has_errors
    lines = None if has_failed or result.line_map is None else result.line_map
    return replace(
        result,
        source=source,
        diagnostics=sink.diagnostics,
        text=None if has_failed else result.text,
        line_map=None
        if lines is None
        else LineMap(tuple((line, expansion.line_place(span)) for line, span in lines)),
        remarks=tuple(replace(it, span=expansion.place(it.span)) for it in result.remarks),
    )


def _translate(
    source: SourceFile,
    options: Options,
    sink: Sink,
    observe: Observer | None = None,
    expansion: Expansion | None = None,
    *,
    is_sound: bool = True,
) -> Result:
    """Translate a text without macros; it has no warnings where they would stand beside errors."""
    file = parse_file(source, sink, expansion)
    features = Features(options.features, default_features=options.default_features)
    module = elaborate(file, source, features, sink, frozenset(options.kernels))
    written = module
    watch = None if observe is None else _watching(observe)
    prepared = run_passes(module, PassContext(sink=sink), PREPARE, observe=watch)
    module = run_passes(prepared, PassContext(sink=sink), FINISH, after=None, observe=watch)
    if is_sound and not sink.has_errors:
        run_lints(written, source, sink)
        unknown_allowances(source, sink)
    facts = function_facts(module)
    wide, accesses = wide_forms(module), Accesses()
    footprints = Footprints(accesses)
    remarks = Remarks()
    optimised = _optimised(prepared, options, remarks, observe) if not sink.has_errors else {}
    plans = tuple(
        KernelPlan(
            kernel=kernel,
            facts=launch_facts(kernel, footprints, facts),
            specialisations=specialise(
                kernel, blocks=dict(options.blocks), dtypes=options.dtypes, sink=sink
            ),
            index64=wide.kernels.get(kernel.name),
            block_sizes=block_sizes(kernel),
            optimised=optimised.get(kernel.name),
        )
        for kernel in module.kernels
    )
    text, line_map, host = None, None, HostPlan()
    diagnostics = sink.diagnostics
    if not sink.has_errors:
        if _may_have_operators(file, module):
            from transpiler.host.planning import plan_host  # noqa: PLC0415 - kernels alone need none of it

            is_whole = not options.kernels
            host = plan_host(
                file, source, features, module, plans, accesses, sink, is_whole=is_whole
            )
        emitted = emit_module(
            module,
            plans,
            source=source,
            options_text=options.text(),
            version=__version__,
            forms=wide.functions,
            host=host,
            namespace=options.op_namespace,
        )
        text, line_map = emitted.text, emitted.line_map
        changed_names(emitted.changed_names, sink)
        diagnostics = judged(without_allowed(sink.diagnostics, written, source), options)
        if any(found.severity is Severity.ERROR for found in diagnostics):
            text, line_map = None, None
    return Result(
        source=source,
        diagnostics=diagnostics,
        text=text,
        plans=plans,
        line_map=line_map,
        syntax=file,
        module=module,
        remarks=remarks.remarks,
        operators=_operator_facts(host, options) if text is not None else (),
    )


def _operator_facts(host: HostPlan, options: Options) -> tuple[OperatorFacts, ...]:
    return tuple(
        OperatorFacts(
            name=f"{options.op_namespace}::{it.name}",
            class_name=it.struct_name,
            forward=it.forward.name,
            backward=None if it.backward is None else it.backward.name,
        )
        for it in host.operators
    )


def _watching(observe: Observer, *, has_functions: bool = True) -> PassObserver:
    """Shows `observe` each kernel and, where asked for, each function of a module as text."""
    from transpiler.ir.dump import dump_routine  # noqa: PLC0415 - for those who watch alone

    def watch(name: str, module: ir.Module) -> None:
        for routine in module.routines if has_functions else module.kernels:
            observe(name, dump_routine(routine))

    return watch


def _optimised(
    module: ir.Module, options: Options, remarks: Remarks, observe: Observer | None
) -> Mapping[str, LaunchPlan]:
    """The launch plans of a module as it is before the last passes, which the kernels of their stages go through."""
    if not options.optimise.is_on:
        return {}
    from transpiler.optimise.driver import optimise  # noqa: PLC0415 - for -O alone

    # The functions are those of the module, which were seen.
    watch = None if observe is None else _watching(observe, has_functions=False)

    def finished(stage: Stage) -> Stage:
        alone = replace(module, kernels=(stage.kernel,))
        made = run_passes(alone, PassContext(sink=Sink()), FINISH, after="optimise", observe=watch)
        (kernel,) = made.kernels
        if any(isinstance(it, ir.Call) for it in kernel.body.contents.expressions):
            # The forms of functions are those that the kernels as written call.
            return replace(stage, kernel=kernel)
        forms = wide_forms(replace(made, functions=())).kernels
        return replace(stage, kernel=kernel, index64=forms.get(kernel.name))

    return {
        name: replace(
            plan,
            variants=tuple(
                replace(variant, stages=tuple(map(finished, variant.stages)))
                for variant in plan.variants
            ),
        )
        for name, plan in optimise(module, options.optimise, remarks, observe).items()
    }


def _may_have_operators(file: syntax.File, module: ir.Module) -> bool:
    """Whether a file has anything that operators are made of."""
    return any(isinstance(it, Impl | Module) for it in file.items) or any(
        kernel.backward is not None for kernel in module.kernels
    )


def judged(diagnostics: Iterable[Diagnostic], options: Options) -> tuple[Diagnostic, ...]:
    """What the options leave of warnings: those allowed are gone, those left are errors where they are denied."""
    diagnostics = tuple(diagnostics)
    if options.allowed:
        diagnostics = tuple(
            found
            for found in diagnostics
            if found.severity is not Severity.WARNING or not found.code.startswith(options.allowed)
        )
    if options.denies_warnings:
        diagnostics = tuple(
            replace(found, severity=Severity.ERROR) if found.severity is Severity.WARNING else found
            for found in diagnostics
        )
    return diagnostics
