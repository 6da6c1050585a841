"""The numbers of an exact Python export: a class of fractions, and e^x to 60 digits, in integers.

These are texts that go into the file, since it imports nothing. They round where the interpreter
rounds: a sigmoid is the true value to 60 digits, and what outgrows 4,096 bits is cut.
"""

from __future__ import annotations

from fractions import Fraction

from ..network._interpreter import EXP_OVERFLOW

FRACTIONS = '''
class Q:
    """A fraction n/d in lowest terms."""

    __slots__ = ("n", "d")

    def __init__(self, n, d=1):
        a, b = abs(n), d
        while b:
            a, b = b, a % b
        self.n, self.d = n // a, d // a

    def __add__(self, other):
        return Q(self.n * other.d + other.n * self.d, self.d * other.d)

    def __sub__(self, other):
        return Q(self.n * other.d - other.n * self.d, self.d * other.d)

    def __mul__(self, other):
        return Q(self.n * other.n, self.d * other.d)

    def __truediv__(self, other):
        n, d = self.n * other.d, self.d * other.n
        return Q(n, d) if d > 0 else Q(-n, -d)

    def __neg__(self):
        return Q(-self.n, self.d)

    def __lt__(self, other):
        return self.n * other.d < other.n * self.d

    def __gt__(self, other):
        return other < self

    def __eq__(self, other):
        return self.n == other.n and self.d == other.d

    def __hash__(self):
        return hash((self.n, self.d))

    def __float__(self):
        return self.n / self.d

    def __repr__(self):
        n, d = (str(x) if x.bit_length() < 9999 else hex(x) for x in (self.n, self.d))
        return n if self.d == 1 else f"{n}/{d}"


def binary(x, places):
    """x to so many binary places, a half to the even neighbour."""
    whole, rest = divmod(x.n * 2**places, x.d)
    up = 2 * rest > x.d or 2 * rest == x.d and whole % 2 == 1
    return Q(whole + up, 2**places)


def tidy(x):
    return binary(x, 256) if x.d.bit_length() > 4096 else x
'''

_LIMIT = Fraction(EXP_OVERFLOW)
EXPONENTIAL = f'''
FAR = Q({_LIMIT.numerator}, {_LIMIT.denominator})


def decimal(x):
    """x > 0 to 60 decimal digits, a half to the even neighbour."""
    # From bits, by log10(2): Python counts no more than 4,300 decimal digits.
    shift = 59 - (x.n.bit_length() - x.d.bit_length() - 1) * 30103 // 100000
    for places in (shift, shift - 1):
        n, d = (x.n * 10**places, x.d) if places > 0 else (x.n, x.d * 10**-places)
        whole, rest = divmod(n, d)
        whole += 2 * rest > d or 2 * rest == d and whole % 2 == 1
        if whole <= 10**60:
            return Q(whole, 10**places) if places > 0 else Q(whole * 10**-places)


def exp(x):
    """e^x to 60 decimal digits: a series for a small part of x, squared up again."""
    if x.n == 0:
        return Q(1)
    size = decimal(Q(abs(x.n), x.d))
    halvings = max(0, (size.n // size.d).bit_length()) + 8
    one = 2**700
    small = size.n * one // (size.d * 2**halvings)
    total = term = one
    count = 1
    while term:
        term = term * small // (one * count)
        total += term
        count += 1
    for _ in range(halvings):
        total = total * total // one
    return decimal(Q(total, one) if x.n > 0 else Q(one, total))
'''
