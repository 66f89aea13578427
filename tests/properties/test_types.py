"""The dtype and the shape we infer for every value are those that Triton computes."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.properties.generator import kernels
from tests.properties.growing import CONSTANTS, Generated
from tests.properties.triton_types import Instance, named_types, triton_types

EXAMPLES = int(os.environ.get("TYPE_EXAMPLES", "50"))


@given(kernels(), st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    # What fails is read as it is: to make it smaller takes minutes.
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
def test_types_are_those_of_triton(generated: Generated, data: st.DataObject) -> None:
    instance = Instance(
        dtypes={
            name: data.draw(st.sampled_from(bound.dtypes))
            for name, bound in generated.bounds.items()
        },
        constants=CONSTANTS,
        ones=frozenset(data.draw(st.sampled_from(((), ("n",), ("n", "m"))))),
    )
    expected = named_types(generated.kernel, instance)
    found = triton_types(generated.text, generated.kernel, instance)
    wrong = {
        name: (expected[name], types)
        for name, types in found.items()
        if name in expected and types != {expected[name]}
    }
    assert not wrong, f"{wrong}\n{instance}\n{generated.rust}"
