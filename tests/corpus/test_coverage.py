"""What the corpus covers."""

from __future__ import annotations

from collections import Counter

import transpiler
from tests.corpus.catalogue import all_cases
from tests.corpus.model import KERNELS
from tests.corpus.runner import translated

TOPICS = sorted(path.stem for path in KERNELS.glob("*.rs"))


def test_every_kernel_has_a_case() -> None:
    have = Counter((case.topic, case.kernel) for case in all_cases())
    assert have == Counter((topic, name) for topic in TOPICS for name in translated(topic).kernels)


def test_it_is_large() -> None:
    assert sum(len(translated(topic).kernels) for topic in TOPICS) >= 150


def test_what_is_warned_of_is_so() -> None:
    # `lambda` is a keyword of Python; attention has several outputs, of which no operator is made.
    found = {
        topic: Counter(each.code for each in transpiler.check(text))
        for topic in TOPICS
        if (text := (KERNELS / f"{topic}.rs").read_text("utf-8"))
    }
    warned = {topic: codes for topic, codes in found.items() if codes}
    assert warned == {"attention": Counter(R0701=1), "hard": Counter(W0704=4)}
