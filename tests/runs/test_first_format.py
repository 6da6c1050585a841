"""Runs that were begun under format mdlrnn-run/1 go on to the very networks they would have found.

The folders in tests/data/runs were written by the last version with that format, and the digests
are of the same runs, never stopped, under that version.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers.data import DATA
from mdlrnn import Encoding, InputError, Search, Stop, resume
from mdlrnn.runs._files import read_log
from mdlrnn.runs._settings import FIRST_FORMAT, RENAMED, read_settings, status_of
from mdlrnn.search._settings import AS_BEFORE, LIMITS, field_names


class Kept(NamedTuple):
    name: str
    generations: int
    """At which the run was left."""
    more: int
    """At which it has the digest."""
    digest: str


KEPT = (
    Kept(
        "strings_first_format", 60, 120,
        "06c993aa0552c6a7b5cfebd8d63810bb06ed5495b9d938c23e1d9311ece0540a",
    ),
    Kept(
        "dyck2_first_format", 30, 60,
        "c1a928ba983e06f94760208590d162bb43e794107f26dce83ca8cd82bdae0f1f",
    ),
)  # fmt: skip
EACH = pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept.name)


def copy_of(kept: Kept, tmp_path: Path) -> Path:
    return shutil.copytree(DATA / "runs" / kept.name, tmp_path / kept.name)


@EACH
def test_it_goes_on_to_the_same_networks(kept: Kept, tmp_path: Path) -> None:
    home = copy_of(kept, tmp_path)
    run = resume(home, stop=Stop(generations=kept.more), prove=False)
    assert (run.reason, run.archipelago.generation) == ("generations", kept.more)
    assert run.archipelago.digest() == kept.digest
    assert read_log(home)[-1]["generation"] == kept.more


@EACH
def test_it_keeps_its_format_and_can_be_stopped_again(kept: Kept, tmp_path: Path) -> None:
    home = copy_of(kept, tmp_path)
    before = json.loads((home / "settings.json").read_text())
    halfway = Stop(generations=(kept.generations + kept.more) // 2, target=0.5)
    resume(home, stop=halfway, prove=False)
    after = json.loads((home / "settings.json").read_text())
    assert before["format"] == after["format"] == FIRST_FORMAT
    assert after.pop("search") == before.pop("search") | halfway.to_dict()
    assert after == before
    assert read_settings(home).stop == halfway
    run = resume(home, stop=Stop(generations=kept.more), prove=False)
    assert run.archipelago.digest() == kept.digest


@EACH
def test_without_other_limits_there_is_nothing_left_to_do(kept: Kept, tmp_path: Path) -> None:
    home = copy_of(kept, tmp_path)
    assert (status_of(home).status, status_of(home).generation) == ("finished", kept.generations)
    run = resume(home, prove=False)
    assert (run.reason, run.archipelago.generation) == ("generations", kept.generations)


@EACH
def test_every_field_that_it_lacks_has_a_value_as_before(kept: Kept) -> None:
    """A new field of Search needs a value in AS_BEFORE, the one that searches as before."""
    folder = DATA / "runs" / kept.name
    settings = read_settings(folder)
    data = json.loads((folder / "settings.json").read_text())
    own = {RENAMED.get(name, name): value for name, value in data["search"].items()}
    assert settings.encoding == Encoding(
        own.pop("encoding"), own.pop("activations"), own.pop("products")
    )
    assert settings.search.encoding == settings.encoding
    limits = [name for name in LIMITS if name != "proved"]
    assert settings.stop == Stop(**{name: own.pop(name) for name in limits})
    assert settings.seed == own.pop("seed")
    searched = settings.search.to_dict()
    assert {name: searched[name] for name in own} == own
    lacked = set(field_names(Search)) - {"encoding", *own}
    assert lacked == set(AS_BEFORE)
    assert {name: searched[name] for name in lacked} == AS_BEFORE


@EACH
@pytest.mark.parametrize("name", ["grafts", "seed", "activations", "generations"])
def test_a_field_that_every_run_of_the_format_has_may_not_be_missing(
    kept: Kept, name: str, tmp_path: Path
) -> None:
    home = copy_of(kept, tmp_path)
    data = json.loads((home / "settings.json").read_text())
    del data["search"][name]
    (home / "settings.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="something is missing"):
        resume(home)
