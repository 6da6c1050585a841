"""Random changes of expressions: what the search for expressions tries next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from ...expressions import Exponent, Node, nodes

MOST_NODES = 60
"""In an expression that is tried."""
MOST_LETTERS = 4
Path = tuple[int, ...]


def changed(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """The expression with one to three changes, in canonical form."""
    for _ in range(1 if random.random() < 0.7 else random.choice((2, 3))):
        (change,) = random.choices(_CHANGES, _RATES)
        node = change(node, symbols, examples, random)
    return nodes.canonical(node, symbols) if nodes.size(node) <= MOST_NODES else node


def _paths(node: Node, here: Path = ()) -> list[Path]:
    found = [here]
    for place, part in enumerate(node.parts):
        found += _paths(part, (*here, place))
    return found


def _at(node: Node, path: Path) -> Node:
    for place in path:
        node = node.parts[place]
    return node


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    parts = list(node.parts)
    parts[path[0]] = _put(parts[path[0]], path[1:], new)
    return nodes.rebuilt(node, parts)


def _any_path(node: Node, random: Random) -> Path:
    return random.choice(_paths(node))


def _letters(node: Node) -> list[str]:
    found = {
        x: None for part in nodes.walk(node) if part.kind == "power" for x in part.value.letters
    }
    return list(found)


def _fresh(taken: Sequence[str], names: str) -> str:
    return next(name for name in names if name not in taken)


def _fresh_pair(taken: Sequence[str]) -> tuple[str, str]:
    one = _fresh(taken, nodes.LETTERS)
    return one, _fresh([*taken, one], nodes.LETTERS)


def _some_letter(node: Node, random: Random) -> str:
    letters = _letters(node)
    if letters and (len(letters) >= MOST_LETTERS or random.random() < 0.7):
        return random.choice(letters)
    return _fresh(letters, nodes.LETTERS)


def _small(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """Something short to begin with."""
    draw = random.random()
    one = nodes.symbol(random.choice(symbols))
    if draw < 0.45:
        return one
    if draw < 0.6 and len(symbols) > 1:
        size = len(symbols) if random.random() < 0.6 else random.randint(2, len(symbols))
        one = nodes.choice([nodes.symbol(s) for s in random.sample(list(symbols), size)])
        return one if random.random() < 0.3 else random.choice((nodes.plus, nodes.star))(one)
    if draw < 0.75:
        return nodes.power(one, _exponent(node, random))
    if draw < 0.85:
        return random.choice((nodes.plus, nodes.star, nodes.optional))(one)
    words = [part.value for part in nodes.walk(node) if part.kind == "word"]
    rules = [part.value for part in nodes.walk(node) if part.kind == "rule"]
    if words and draw < 0.93:
        return _again(random.choice(words), symbols, random)
    if rules and draw < 0.95:
        return nodes.call(random.choice(rules))
    example = random.choice(examples)
    if not example:
        return nodes.EMPTY
    begin = random.randrange(len(example))
    end = min(len(example), begin + random.randint(1, 4))
    return nodes.sequence([nodes.symbol(s) for s in example[begin:end]])


def _again(name: str, symbols: Sequence[str], random: Random) -> Node:
    swaps: tuple[tuple[str, str], ...] = ()
    if len(symbols) > 1 and random.random() < 0.25:
        one, other = sorted(random.sample(list(symbols), 2))
        swaps = ((one, other),)
    return nodes.again(name, random.random() < 0.4, swaps)


def _exponent(node: Node, random: Random) -> Exponent:
    draw, letter = random.random(), _some_letter(node, random)
    if draw < 0.5:
        return nodes.linear(letter)
    if draw < 0.65:
        return nodes.linear(letter, random.choice((2, 2, 2, 3, 3, 4)))
    if draw < 0.75:
        return nodes.linear(letter, random.choice((1, 1, 2)), random.choice((1, 1, 2, 3, -1)))
    if draw < 0.83:
        other = _some_letter(node, random)
        if other != letter:
            return Exponent("linear", ((letter, random.choice((1, 1, 2))), (other, 1)), 0)
    if draw < 0.87:
        return Exponent("square", ((letter, 1),))
    if draw < 0.91:
        return Exponent("double", ((letter, 1),), random.choice((0, 0, -1, 1)))
    if draw < 0.96:
        low = random.choice((0, 1, 1, 1, 2))
        return Exponent("range", (), low, low + random.randint(1, 5))
    return nodes.constant(random.choice((2, 2, 3, 4, 5)))


# The changes


def _replace(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    return _put(node, _any_path(node, random), _small(node, symbols, examples, random))


def _insert(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    path = _any_path(node, random)
    pair = [_at(node, path), _small(node, symbols, examples, random)]
    if random.random() < 0.5:
        pair.reverse()
    if pair[0].kind == "sequence" and random.random() < 0.5:
        parts = list(pair[0].parts)
        parts.insert(random.randint(0, len(parts)), pair[1])
        return _put(node, path, nodes.sequence(parts))
    return _put(node, path, nodes.sequence(pair))


def _remove(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    path = _any_path(node, random)
    return _put(node, path, nodes.EMPTY) if path else node


def _wrap(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    path = _any_path(node, random)
    part = _at(node, path)
    draw = random.random()
    if draw < 0.25:
        new = nodes.plus(part)
    elif draw < 0.45:
        new = nodes.star(part)
    elif draw < 0.6:
        new = nodes.optional(part)
    else:
        new = nodes.power(part, _exponent(node, random))
    return _put(node, path, new)


def _unwrap(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    paths = [path for path in _paths(node) if _at(node, path).parts]
    if not paths:
        return node
    path = random.choice(paths)
    return _put(node, path, random.choice(_at(node, path).parts))


def _group(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """Repeat, or leave out, some neighbours together."""
    paths = [path for path in _paths(node) if _at(node, path).kind == "sequence"]
    if not paths:
        return node
    path = random.choice(paths)
    parts = list(_at(node, path).parts)
    begin = random.randrange(len(parts))
    end = random.randint(begin + 1, len(parts))
    inner = _wrap(nodes.sequence(parts[begin:end]), symbols, examples, random)
    if random.random() < 0.7:
        group = nodes.sequence(parts[begin:end])
        inner = random.choice((nodes.plus, nodes.star, nodes.optional))(group)
        if random.random() < 0.4:
            inner = nodes.power(group, _exponent(node, random))
    return _put(node, path, nodes.sequence([*parts[:begin], inner, *parts[end:]]))


def _exchange(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """Swap, double or drop one of several parts."""
    paths = [path for path in _paths(node) if len(_at(node, path).parts) > 1]
    if not paths:
        return node
    path = random.choice(paths)
    part = _at(node, path)
    parts = list(part.parts)
    one, other = random.randrange(len(parts)), random.randrange(len(parts))
    draw = random.random()
    if draw < 0.4:
        parts[one], parts[other] = parts[other], parts[one]
    elif draw < 0.7:
        parts.insert(other, parts[one])
    else:
        del parts[one]
    return _put(node, path, nodes.rebuilt(part, parts))


def _alternative(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    path = _any_path(node, random)
    part = _at(node, path)
    if part.kind == "sequence" and random.random() < 0.4:
        cut = random.randint(1, len(part.parts) - 1)
        halves = [nodes.sequence(part.parts[:cut]), nodes.sequence(part.parts[cut:])]
        return _put(node, path, nodes.choice(halves))
    new = _small(node, symbols, examples, random)
    if random.random() < 0.3:
        example = random.choice(examples)
        new = nodes.sequence([nodes.symbol(s) for s in example[:12]])
    elif random.random() < 0.3:
        new = _replace(part, symbols, examples, random)
    return _put(node, path, nodes.choice([part, new]))


def _other_exponent(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    paths = [
        path for path in _paths(node) if _at(node, path).kind in ("power", "plus", "star", "symbol")
    ]
    if not paths:
        return node
    powers = [path for path in paths if _at(node, path).kind == "power"]
    path = random.choice(powers if powers and random.random() < 0.7 else paths)
    part = _at(node, path)
    body = part.parts[0] if part.parts else part
    if part.kind != "power":
        return _put(node, path, nodes.power(body, _exponent(node, random)))
    exponent: Exponent = part.value
    draw = random.random()
    if draw < 0.3 or exponent.kind in ("square", "double", "rounds"):
        new = _exponent(node, random)
    elif exponent.kind == "range":
        low = max(0, exponent.constant + random.choice((-1, 0, 0, 1)))
        most = exponent.most + random.choice((-1, 0, 1, 1, 2))
        new = Exponent("range", (), low, max(low + 1, most))
    elif draw < 0.55:
        new = exponent._replace(constant=exponent.constant + random.choice((-1, 1)))
        if new.constant < 0 and not new.terms:
            return node
    elif draw < 0.75 and exponent.terms:
        place = random.randrange(len(exponent.terms))
        terms = list(exponent.terms)
        letter, factor = terms[place]
        terms[place] = (letter, max(1, factor + random.choice((-1, 1))))
        new = exponent._replace(terms=tuple(terms))
    else:
        letter = _some_letter(node, random)
        kept = tuple(term for term in exponent.terms if term[0] != letter)
        if random.random() < 0.5:
            kept = kept[1:]
        new = Exponent("linear", (*kept, (letter, 1))[:3], exponent.constant)
    return _put(node, path, nodes.power(body, new))


def _share_letter(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """Two repetitions count the same number; one within the other counts its rounds."""
    paths = [p for p in _paths(node) if _at(node, p).kind in ("power", "plus", "star")]
    if len(paths) < 2:
        return node
    one, other = random.sample(paths, 2)
    one, other = sorted((one, other), key=len)
    if other[: len(one)] == one:
        inner, letter = _fresh_pair(_letters(node))
        part = _at(node, other)
        node = _put(node, other, nodes.power(part.parts[0], nodes.linear(inner)))
        return _put(node, one, nodes.power(_at(node, one).parts[0], nodes.rounds(inner, letter)))
    if random.random() < 0.5:
        one, other = other, one
    first = _at(node, one)
    letter = _fresh(_letters(node), nodes.LETTERS)
    if first.kind == "power" and first.value.letters and random.random() < 0.7:
        letter = random.choice(first.value.letters)
    else:
        node = _put(node, one, nodes.power(first.parts[0], nodes.linear(letter)))
    try:
        second = _at(node, other)
    except IndexError:
        return node
    if not second.parts:
        return node
    return _put(node, other, nodes.power(second.parts[0], nodes.linear(letter)))


def _bind(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """One part becomes a word and a later one that word again."""
    words = [part.value for part in nodes.walk(node) if part.kind == "word"]
    if len(words) >= 2:
        return node
    name = _fresh(words, nodes.WORDS)
    parts = list(node.parts) if node.kind == "sequence" else [node]
    one = random.randrange(len(parts))
    body = parts[one] if random.random() < 0.4 and parts[one].kind in ("plus", "star") else None
    new = nodes.word(name, body)
    copy = _again(name, symbols, random)
    if random.random() < 0.4:
        between = [] if random.random() < 0.6 else [_small(node, symbols, examples, random)]
        whole = [new, *between, copy]
        if random.random() < 0.2:
            whole.append(_again(name, symbols, random))
        return nodes.sequence(whole)
    parts[one] = new
    if one + 1 < len(parts) and random.random() < 0.6:
        parts[random.randrange(one + 1, len(parts))] = copy
    else:
        parts.insert(random.randint(one + 1, len(parts)), copy)
    return nodes.sequence(parts)


def _wrap_in_rule(
    node: Node, symbols: Sequence[str], examples: Sequence[Sequence[str]], random: Random
) -> Node:
    """A part becomes a rule that contains itself: a X b becomes a S b | X."""
    rules = [part.value for part in nodes.walk(node) if part.kind == "rule"]
    if rules:
        name = random.choice(rules)
        if random.random() < 0.4:
            return _one_more_choice(node, name, random)
        paths = [p for p in _paths(node) if _is_within(node, p, name)]
        if not paths:
            return node
        path = random.choice(paths)
        part = _at(node, path)
        draw = random.random()
        if draw < 0.4:
            return _put(node, path, nodes.call(name))
        pair = [nodes.call(name), part] if draw < 0.7 else [part, nodes.call(name)]
        return _put(node, path, nodes.sequence(pair))
    name = nodes.RULES[0]
    path = _any_path(node, random)
    part = _at(node, path)
    if any(
        p.kind in ("word", "again") or (p.kind == "power" and p.value.letters)
        for p in nodes.walk(part)
    ):
        return node
    before, after = (nodes.symbol(random.choice(symbols)) for _ in range(2))
    draw = random.random()
    if draw < 0.2:
        body = nodes.choice([part, _with_call(part, name, random)])
    elif draw < 0.45 and part.kind == "sequence" and len(part.parts) > 1:
        begin = random.randint(0, len(part.parts) - 1)
        end = random.randint(begin, len(part.parts))
        middle = nodes.sequence(part.parts[begin:end])
        around = nodes.sequence([*part.parts[:begin], nodes.call(name), *part.parts[end:]])
        body = nodes.choice([around, middle])
    elif draw < 0.7:
        body = nodes.choice([nodes.sequence([before, nodes.call(name), after]), part])
    elif draw < 0.85:
        pairs = [
            nodes.sequence([nodes.symbol(s), nodes.call(name), nodes.symbol(s)]) for s in symbols
        ]
        body = nodes.choice([*pairs, part])
    else:
        around = nodes.sequence([before, nodes.call(name), after, nodes.call(name)])
        body = nodes.choice([around, part])
    return _put(node, path, nodes.rule(name, body))


def _with_call(part: Node, name: str, random: Random) -> Node:
    """The part with the rule's name somewhere in it."""
    parts = list(part.parts) if part.kind == "sequence" else [part]
    kept = [one for one in parts if one.kind != "call" or random.random() < 0.5]
    kept.insert(random.randint(0, len(kept)), nodes.call(name))
    return nodes.sequence(kept)


def _one_more_choice(node: Node, name: str, random: Random) -> Node:
    """A choice of a rule once more, with the rule's name in it."""
    path = next(p for p in _paths(node) if _at(node, p)[::2] == ("rule", name))
    body = _at(node, path).parts[0]
    choices = list(body.parts) if body.kind == "choice" else [body]
    choices.append(_with_call(random.choice(choices), name, random))
    return _put(node, path, nodes.rule(name, nodes.choice(choices)))


def _is_within(node: Node, path: Path, name: str) -> bool:
    inside = False
    for place in path:
        inside |= node.kind == "rule" and node.value == name
        node = node.parts[place]
    return inside


Change = Callable[[Node, Sequence[str], Sequence[Sequence[str]], Random], Node]
_TABLE: tuple[tuple[Change, float], ...] = (
    (_replace, 4), (_insert, 4), (_remove, 4), (_wrap, 3), (_unwrap, 2.5), (_group, 2),
    (_exchange, 2), (_alternative, 2), (_other_exponent, 4), (_share_letter, 2), (_bind, 1),
    (_wrap_in_rule, 1.5),
)  # fmt: skip
_CHANGES = [change for change, _ in _TABLE]
_RATES = [rate for _, rate in _TABLE]
