"""The live view: it says what its signs mean and shows the way to the best network."""

from __future__ import annotations

from io import StringIO
from math import inf

import pytest
from rich.console import Console

from mdlrnn import Search, Stop, evolve
from mdlrnn.interface._progress import Live, _legend, _line, _shades
from mdlrnn.interface._text import curve_text
from mdlrnn.search._archipelago import Progress


@pytest.fixture(scope="module")
def told() -> list[Progress]:
    found: list[Progress] = []

    def note(progress: Progress) -> bool:
        found.append(progress)
        return False

    evolve(
        ["ab", "aabb", "aaabbb"] * 9,
        Search(islands=3, population=20),
        stop=Stop(generations=60),
        on_progress=note,
    )
    return found


def view(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the live view shows in a terminal of 80 columns."""
    monkeypatch.setattr("rich.live.Live.start", lambda live: None)
    live = Live()
    live(progress)
    screen = StringIO()
    Console(file=screen, width=80).print(live._view())
    return screen.getvalue()


def test_the_live_view_has_a_curve_and_a_legend(
    told: list[Progress], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = told[-1]
    rows = {line[:12].strip(): line[12:].rstrip() for line in view(last, monkeypatch).splitlines()}
    assert len({p.mdl for p in told}) > 1
    assert rows["MDL"][0] == "█"
    assert rows["MDL"][-1] == "▁"
    assert len(rows["MDL"]) == 50
    shown = view(last, monkeypatch).splitlines()
    at = next(i for i, line in enumerate(shown) if line.startswith("islands"))
    assert shown[at].split()[1] == _shades(last.island_values)
    assert shown[at + 1].strip() == _legend(last.island_values)


def test_there_is_no_curve_before_anything_has_improved(
    told: list[Progress], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "MDL   " not in view(told[0], monkeypatch)


def test_a_line_fits_the_terminal(told: list[Progress], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    last = told[-1]
    assert f"MDL {last.mdl:,.2f}, " in _line(last)
    assert " steps a second, " in _line(last)
    large = last._replace(
        generation=12_345, g=12_345, d_given_g=1_480.12, value=1_480.12, steps_per_second=17_432.0,
        seconds=290.0,
    )  # fmt: skip
    own = "|G| 12,345  |D:G| 1,480.12  objective 1,480.12, 4 min 50 s"
    assert _line(large) == f"generation 12,345: {own}"
    waiting = large._replace(workers="0 workers", is_waiting=True)
    assert _line(waiting) == "generation 12,345: 0 workers; the run waits for one, 4 min 50 s"


@pytest.mark.parametrize(
    ("values", "signs", "words"),
    [
        ((1.0, 2.0, 9.0), "██░", "█ best to ░ worst"),
        ((1.0, inf, 9.0), "█·░", "█ best to ░ worst, · infinite |D:G|"),
        ((4.0, 4.0), "██", "█ equally good"),
        ((4.0, inf), "█·", "█ best, · infinite |D:G|"),
        ((4.0,), "█", "█ best"),
        ((inf, inf), "··", "· infinite |D:G|"),
    ],
)
def test_the_legend_names_the_signs_that_are_there(
    values: tuple[float, ...], signs: str, words: str
) -> None:
    assert _shades(values) == signs
    assert _legend(values) == f"one sign an island: {words}"


def test_a_curve_stands_until_the_next_value() -> None:
    assert curve_text([0, 5, 10], [8.0, 1.0, 1.0], 11) == "█████▁▁▁▁▁▁"
    assert curve_text([0, 10], [8.0, 8.0], 11) == curve_text([], [], 11) == ""
    assert len(curve_text([0, 10], [8.0, 1.0], 500)) == 60
