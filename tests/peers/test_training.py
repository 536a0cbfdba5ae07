"""Chapter 08's model, every variant, against autograd: copied weights, loss and derivatives."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

sys.path.append(str(Path(__file__).parents[1]))

from kinds_of_layer import MODELS  # noqa: E402

from mhalib.training import initial, loss_and_gradients, steps  # noqa: E402

functional = torch.nn.functional


def rng(seed):
    return np.random.default_rng(seed)


def heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def one_hot(numbers, n):
    return functional.one_hot(torch.from_numpy(numbers), n).double()


def loss_of(w, settings, batch):
    """The model as one writes it in PyTorch: queries, keys and values of every token."""
    h, n_kv = settings.n_heads, settings.n_kv or settings.n_heads
    if settings.d_key:
        keys, asked = torch.from_numpy(batch.keys), torch.from_numpy(batch.asked)
    else:
        keys, asked = (one_hot(a, settings.n_tokens) for a in (batch.keys, batch.asked))
    tokens = torch.cat([keys, one_hot(batch.values, settings.n_values)], dim=-1)
    question = asked.flatten(1)
    written = torch.zeros(len(question), settings.d_model, dtype=torch.float64)
    for layer in range(settings.n_layers):
        end = f"_{layer + 1}" if layer else ""
        x = torch.cat([question, written], dim=1) if layer else question
        seen = tokens @ w["latent" + end] if settings.latent else tokens
        q = heads((x @ w["w_q" + end])[:, None], h)
        k = heads(seen @ w["w_k" + end], n_kv).repeat_interleave(h // n_kv, dim=1)
        logits = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if settings.rows == "merged":
            logits = (logits.sum(1, keepdim=True) / h**0.5).expand(-1, h, -1, -1)
        rows = logits.softmax(-1) if settings.softmax else logits
        if settings.rows == "averaged":
            rows = rows.mean(1, keepdim=True).expand(-1, h, -1, -1)
        if settings.values == "shared":
            carried = (rows @ (seen @ w["w_v" + end])[:, None]).mean(1)[:, 0]
        else:
            v = heads(seen @ w["w_v" + end], n_kv).repeat_interleave(h // n_kv, dim=1)
            carried = (rows @ v).transpose(1, 2).flatten(1)
        written = written + carried @ w["w_o" + end]
    if settings.readout == "mlp":
        written = (written @ w["hidden"]).relu()
    logits = (written @ w["read"]).unflatten(1, (settings.k, settings.n_values))
    return functional.cross_entropy(logits.transpose(1, 2), torch.from_numpy(batch.answers))


def followed(parameters):
    return {name: torch.tensor(w, requires_grad=True) for name, w in parameters.items()}


each_model = pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS)


@each_model
def test_loss_and_every_derivative(settings):
    parameters = {n: 1.5 * w for n, w in initial(settings, rng(1), np.float64).items()}
    batch, w = settings.draw(rng(2), 13), followed(parameters)
    theirs = loss_of(w, settings, batch)
    theirs.backward()
    loss, ours = loss_and_gradients(parameters, settings, batch)
    assert loss == pytest.approx(theirs.item(), rel=1e-12)
    for name in parameters:
        np.testing.assert_allclose(ours[name], w[name].grad.numpy(), rtol=1e-9, atol=1e-9)


@each_model
def test_ten_steps_of_adam(settings):
    parameters, generator = initial(settings, rng(1), np.float64), rng(2)
    w = followed(parameters)
    adam = torch.optim.Adam(w.values(), lr=0.01)
    for progress in steps(settings, rng(2), 10, 0.01, 13, parameters):
        adam.zero_grad()
        loss = loss_of(w, settings, settings.draw(generator, 13))
        loss.backward()
        adam.step()
        assert progress.loss == pytest.approx(loss.item(), rel=1e-9)
    for name, ours in progress.parameters.items():
        np.testing.assert_allclose(ours, w[name].detach().numpy(), rtol=1e-6, atol=1e-6)
