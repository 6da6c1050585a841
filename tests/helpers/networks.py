"""Networks that several tests speak of: small ones, and the zoo's with something broken."""

from __future__ import annotations

from dataclasses import replace

from mdlrnn import Connection, Network, Unit, Weight, zoo

COUNTER = Network(
    3,
    3,
    (Unit(), Unit(), Unit(), Unit("sigmoid", bias=Weight(-7, 2)), Unit(), Unit("relu"), Unit()),
    (
        Connection(0, 4, "forward", Weight(1)),
        Connection(1, 6, "forward", Weight(1)),
        Connection(6, 6, "recurrent", Weight(1)),
        Connection(6, 5, "forward", Weight(2, 4)),
    ),
    ("#", "a", "b"),
    "counter",
)


def rewired(network: Network, weights: dict[tuple[int, int], Weight | None]) -> Network:
    """With other weights on these connections; None takes one away."""
    kept = []
    for connection in network.connections:
        weight = weights.get((connection.source, connection.target), connection.weight)
        if weight is not None:
            kept.append(replace(connection, weight=weight))
    return replace(network, connections=tuple(kept))


def leaky() -> Network:
    """a^n b^n with a counter that loses a tenth at each step.

    After 1, 2, 3, 4 a's it holds 1, 1.9, 2.71, 3.439. From 3.439 the b's bring it to 2.0951,
    .88559 and 0: one b too early.
    """
    return rewired(zoo.anbn(), {(6, 6): Weight(9, 10)})


def saturating() -> Network:
    """a^n b^n with a counter in steps of 100,000, which is full at 1,000,000: after ten a's."""
    network = rewired(zoo.anbn(), {(1, 6): Weight(200_000)})
    units = (*network.units[:6], replace(network.units[6], bias=Weight(-100_000)))
    return replace(network, units=units)


def shallow() -> Network:
    """Dyck-1 with a counter that cannot go below 0, so that it knows one open bracket at most."""
    network = zoo.dyck1()
    return replace(
        network, units=(*network.units[:6], replace(network.units[6], activation="relu"))
    )


def without_carry() -> Network:
    return rewired(zoo.addition(), {(3, 4): None})


def constant(*weights: Weight, alphabet: str) -> Network:
    """Outputs that never change."""
    size = len(alphabet)
    units = (*(Unit() for _ in range(size)), *(Unit(bias=weight) for weight in weights))
    return Network(size, size, units, (), tuple(alphabet))


def bigram(alphabet: str, follows: dict[str, str]) -> Network:
    """After each symbol those named, all with the same chance."""
    size = len(alphabet)
    connections = tuple(
        Connection(alphabet.index(symbol), size + alphabet.index(then), "forward", Weight(1))
        for symbol, after in follows.items()
        for then in after
    )
    return Network(size, size, tuple(Unit() for _ in range(2 * size)), connections, tuple(alphabet))
