"""Small networks, forwards and backwards."""

import copy

import pytest
import torch
from models import Convolutions, Transformer


@pytest.mark.parametrize("model,arguments", [
    (Transformer, lambda: (torch.randint(0, 100, (4, 33)), torch.randint(0, 100, (4, 33)))),
    (Convolutions, lambda: (torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,)))),
])
def test_three_steps_of_training(compiled, model, arguments):
    network = model()
    eager, arguments = copy.deepcopy(network), arguments()
    step = torch.compile(network)
    for _ in range(3):
        losses = []
        for module, loss_of in ((network, step), (eager, eager)):
            module.zero_grad()
            losses.append(loss_of(*arguments))
            losses[-1].backward()
        torch.testing.assert_close(*losses, rtol=1e-5, atol=1e-5)
        for found, wanted in zip(network.parameters(), eager.parameters()):
            torch.testing.assert_close(found.grad, wanted.grad, rtol=1e-4, atol=1e-5)
        with torch.no_grad():
            for module in (network, eager):
                for parameter in module.parameters():
                    parameter -= 0.1 * parameter.grad
    assert len(set(compiled)) > 10
