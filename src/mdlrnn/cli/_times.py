"""Times as people write and read them."""

from __future__ import annotations

import math
import re

from .._errors import InputError

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(r"(\d+(?:\.\d+)?)([dhms])")


def parse_time(text: str, option: str) -> float:
    """Seconds of '90', '90s', '10m', '2h' or '1h30m'."""
    plain = text.strip().lower().replace(" ", "")
    try:
        seconds = float(plain)
    except ValueError:
        parts = _PART.findall(plain)
        whole = "".join(number + unit for number, unit in parts)
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        if not plain or whole != plain:
            seconds = math.nan
    if not 0 < seconds < math.inf:
        raise InputError(f"{option} is {text!r}; write a time such as 90s, 10m, 2h or 1h30m.")
    return seconds


def time_text(seconds: float) -> str:
    """'12 s', '5 min 3 s', '2 h 5 min', '3 d 4 h'."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for unit, name, smaller, small_name in (
        (86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"),
    ):  # fmt: skip
        if whole >= unit:
            rest = whole % unit // smaller
            return f"{whole // unit} {name}" + (f" {rest} {small_name}" if rest else "")
    return f"{whole} s"


def count_text(number: float) -> str:
    """'1,234', '12.3 k', '4.56 M'."""
    for size, name, least in ((1e9, "G", 1e9), (1e6, "M", 1e6), (1e3, "k", 1e4)):
        if number >= least:
            scaled = number / size
            return f"{scaled:,.0f} {name}" if scaled >= 100 else f"{scaled:.3g} {name}"
    return f"{number:,.0f}"
