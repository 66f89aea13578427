"""Spares Triton's interpreter what it does over and over to no effect, about two fifths of its time.

Kernels compute and refuse the same: `test_sparing` compares.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Change: TypeAlias = tuple[object, str, object]
    """What has an attribute, the attribute's name, and its value."""


def spare() -> None:
    """Makes the interpreter of this process lighter; `TRITON_INTERPRET` has to be 1 already."""
    from triton.runtime import interpreter  # noqa: PLC0415 - it reads the environment

    options = interpreter.interpreter_builder.options
    if not options.debug:
        # Sums and products of integers are computed in 64 bits as well, for an assertion that only `debug` makes.
        interpreter.interpreter_builder.options = replace(options, sanitize_overflow=False)
    interpreter._get_np_dtype = _numpy_dtypes(interpreter)
    # Triton 3.4 leaves its language patched.
    if hasattr(interpreter, "_LangPatchScope"):
        interpreter._patch_lang = _Patching(interpreter)


def _numpy_dtypes(interpreter: Any) -> Callable[[Any], np.dtype[Any]]:
    """What `_get_np_dtype` says, which writes down the whole table of dtypes each time that it is asked."""
    block, pointer = interpreter.tl.block_type, interpreter.tl.pointer_type
    of_pointers = interpreter._get_np_dtype(pointer(interpreter.tl.int8))
    of_scalars = functools.cache(interpreter._get_np_dtype)

    def numpy_dtype(type_: Any) -> np.dtype[Any]:
        element = type_.element_ty if isinstance(type_, block) else type_
        found: np.dtype[Any] = of_pointers if isinstance(element, pointer) else of_scalars(element)
        return found

    return numpy_dtype


class _Patching:
    """Takes the place of Triton's `_patch_lang`.

    That function makes the builtins of `triton.language` call the interpreter, at every launch and at every call of a
    `@triton.jit` function in a kernel, and looks at every attribute of the language to find them. Here it looks once,
    later launches set the same values again, and within a launch the language is patched already.
    """

    def __init__(self, interpreter: Any) -> None:
        self._patch: Callable[[object], Any] = interpreter._patch_lang
        self._new_scope: Callable[[], Any] = interpreter._LangPatchScope
        self._languages = (interpreter.tl, interpreter.tl.core)
        self._patched: frozenset[int] = frozenset()
        self._known: dict[tuple[frozenset[int], frozenset[int]], list[Change]] = {}

    def __call__(self, function: Any) -> _Scope:
        """Patches the modules of the language, by their places among all, that a function sees."""
        seen = frozenset(
            place
            for place, language in enumerate(self._languages)
            if any(value is language for value in function.__globals__.values())
        )
        before = self._patched
        scope = self._scope_of(function, seen - before)
        self._patched = before | seen
        return _Scope(self, scope, before)

    def _scope_of(self, function: object, new: frozenset[int]) -> Any:
        scope = self._new_scope()
        if not new:
            return scope
        # What there is to patch depends on what is patched already.
        state = (self._patched, new)
        if state not in self._known:
            scope = self._patch(function)
            self._known[state] = [(it, name, vars(it)[name]) for it, name, _ in scope._changes]
            return scope
        for it, name, value in self._known[state]:
            scope.set_attr(it, name, value)
        return scope

    def restored(self, before: frozenset[int]) -> None:
        """What `before` names is patched again, and nothing else."""
        self._patched = before


class _Scope:
    """What undoes the patches of a launch."""

    def __init__(self, patching: _Patching, scope: Any, before: frozenset[int]) -> None:
        self._patching = patching
        self._scope = scope
        self._before = before

    def restore(self) -> None:
        """Undoes them."""
        self._scope.restore()
        self._patching.restored(self._before)
