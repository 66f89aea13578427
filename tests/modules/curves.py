"""Losses of a small convolutional network on synthetic images, with torch's batch norms and with ours."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from modules.batchnorm import convert
from tests.numerics.tolerances import curve_tolerance

if TYPE_CHECKING:
    from modules.batchnorm import Modules


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A network, and how long it learns which of four classes images are of."""

    images: int
    size: int
    width: int
    steps: int = 50
    device: str = "cpu"

    def network(self) -> nn.Sequential:
        """Two convolutions and a hidden layer, each with a batch norm.

        Activations are smooth: at the kink of a ReLU a rounding turns a gradient on or off, and the
        curve jumps. Torch's own run does when its batch norms are nudged by one rounding.
        """
        width = self.width
        return nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.SiLU(),
            nn.Conv2d(width, width, 3, stride=2, bias=False),
            nn.BatchNorm2d(width),
            nn.SiLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(width, width),
            nn.BatchNorm1d(width),
            nn.SiLU(),
            nn.Linear(width, 4),
        )

    def losses(self, network: nn.Sequential, dtype: torch.dtype) -> list[float]:
        """The loss of each step; the same images each time, drawn from a seed."""
        network = network.to(self.device, dtype)
        optimiser = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
        draw = torch.Generator().manual_seed(1)
        patterns = torch.randn(4, 1, self.size, self.size, generator=draw)
        found = []
        for _ in range(self.steps):
            labels = torch.randint(4, (self.images,), generator=draw)
            noise = torch.randn(self.images, 1, self.size, self.size, generator=draw)
            images = (patterns[labels] + 0.5 * noise).to(self.device, dtype)
            loss = nn.functional.cross_entropy(network(images), labels.to(self.device))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            found.append(float(loss.detach()))
        return found


def curve_faults(training: Training, modules: Modules) -> list[str]:
    """A sentence for each step at which our loss is not torch's, and one if nothing was learnt."""
    torch.manual_seed(0)
    theirs = training.network()
    ours = convert(copy.deepcopy(theirs), modules)
    assert isinstance(ours, nn.Sequential)
    exact = training.losses(copy.deepcopy(theirs), torch.float64)
    peers = training.losses(theirs, torch.float32)
    got = training.losses(ours, torch.float32)
    found = [
        f"step {step}: a loss of {mine} instead of {true}, torch has {peer}; {limit:.3g} allowed"
        for step, (mine, true, peer, limit) in enumerate(
            zip(got, exact, peers, curve_tolerance(peers, exact), strict=True)
        )
        if not abs(mine - true) <= limit
    ]
    if not got[-1] < got[0] / 2:
        found.append(f"the loss went from {got[0]} to {got[-1]}")
    return found
