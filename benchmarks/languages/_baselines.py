"""What a user would take instead, on the same strings: an n-gram model, ALERGIA, an LSTM.

All are mixed with a little of the uniform distribution, so that no string is impossible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from mdlrnn import Corpus
from mdlrnn.measures._measures import ngram_bits
from mdlrnn.network._units import BOUNDARY

ORDERS = range(1, 7)
HELD_OUT = 0.1
"""Of the training strings, to choose an order by, and to end the training of the LSTM."""
EPSILONS = (0.5, 0.05, 0.005)
UNIFORM = 0.001
HIDDEN, EPOCHS, PATIENCE = 32, 400, 30


def baselines(training: Corpus, test: Corpus) -> dict[str, float | None]:
    """Bits of all test strings under each model; None where its package is missing."""
    training, test = _same_alphabet(training, test)
    return {
        "n-gram": _ngram(training, test),
        "ALERGIA": _alergia(training, test),
        "LSTM": _lstm(training, test),
    }


def _same_alphabet(training: Corpus, test: Corpus) -> tuple[Corpus, Corpus]:
    """With every symbol of either; a symbol that training lacks is then only improbable."""
    assert training.alphabet is not None
    assert test.alphabet is not None
    every = (BOUNDARY, *sorted({*training.alphabet, *test.alphabet} - {BOUNDARY}))
    return training.with_alphabet(every), test.with_alphabet(every)


def _ngram(training: Corpus, test: Corpus) -> float:
    """Witten and Bell's, of the order that is best for strings held out."""
    own, held = training.split(HELD_OUT, 1)
    order = min(ORDERS, key=lambda n: ngram_bits(own, held, n))
    return ngram_bits(training, test, order)


def _alergia(training: Corpus, test: Corpus) -> float | None:
    """AALpy's, with the epsilon that is best for the test strings themselves."""
    try:
        from aalpy.learning_algs import run_Alergia
    except ImportError:
        return None
    data = [
        [BOUNDARY, *string, BOUNDARY + BOUNDARY]
        for string, count in training.strings()
        for _ in range(count)
    ]
    assert training.alphabet is not None
    symbols = len(training.alphabet)
    models = (run_Alergia(data, automaton_type="mc", eps=eps) for eps in EPSILONS)
    return min(_chain_bits(model, test, symbols) for model in models)


def _chain_bits(model: Any, test: Corpus, symbols: int) -> float:
    bits = 0.0
    for string, count in test.strings():
        here = model.initial_state
        for symbol in (*string, BOUNDARY + BOUNDARY):
            ways = {} if here is None else {state.output: (state, p) for state, p in
                                            here.transitions}  # fmt: skip
            here, chance = ways.get(symbol, (None, 0.0))
            bits -= count * math.log2((1 - UNIFORM) * chance + UNIFORM / symbols)
    return bits


def _lstm(training: Corpus, test: Corpus) -> float | None:
    """One layer, trained by Adam until strings held out get no better."""
    try:
        import torch
    except ImportError:
        return None
    torch.manual_seed(1)
    torch.set_num_threads(1)
    assert training.alphabet is not None
    places = {symbol: i for i, symbol in enumerate(training.alphabet)}
    size = len(places)
    embed = torch.nn.Embedding(size, HIDDEN)
    lstm = torch.nn.LSTM(HIDDEN, HIDDEN, batch_first=True)
    out = torch.nn.Linear(HIDDEN, size)
    weights = [*embed.parameters(), *lstm.parameters(), *out.parameters()]
    optimiser = torch.optim.Adam(weights, lr=0.01)

    def batch(strings: Iterable[tuple[Any, int]]) -> Any:
        rows = [([places[s] for s in string], count) for string, count in strings]
        longest = max(len(row) for row, _ in rows) + 1
        inputs = torch.zeros(len(rows), longest, dtype=torch.long)
        targets = torch.zeros(len(rows), longest, dtype=torch.long)
        weight = torch.zeros(len(rows), longest, dtype=torch.float64)
        for i, (row, count) in enumerate(rows):
            inputs[i, 1 : len(row) + 1] = torch.tensor(row, dtype=torch.long)
            targets[i, : len(row)] = torch.tensor(row, dtype=torch.long)
            weight[i, : len(row) + 1] = count
        return inputs, targets, weight

    def bits(inputs: Any, targets: Any, weight: Any) -> Any:
        logits = out(lstm(embed(inputs))[0])
        chances = (1 - UNIFORM) * torch.softmax(logits, -1) + UNIFORM / size
        given = chances.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        return -(weight * torch.log2(given.double())).sum()

    own, held = training.split(HELD_OUT, 1)
    learned, watched = batch(own.strings()), batch(held.strings())
    best, kept, waited = math.inf, [w.detach().clone() for w in weights], 0
    for _ in range(EPOCHS):
        optimiser.zero_grad()
        bits(*learned).backward()
        optimiser.step()
        with torch.no_grad():
            now = float(bits(*watched))
        waited = 0 if now < best else waited + 1
        if now < best:
            best, kept = now, [w.detach().clone() for w in weights]
        if waited >= PATIENCE:
            break
    with torch.no_grad():
        for weight, value in zip(weights, kept, strict=True):
            weight.copy_(value)
        strings = list(test.strings())
        parts = [strings[i : i + 500] for i in range(0, len(strings), 500)]
        return sum(float(bits(*batch(part))) for part in parts)
