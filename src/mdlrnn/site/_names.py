"""Names of folders for languages: letters, digits and hyphens, whatever a language is called."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

LONGEST = 48
SPELLED = {"*": " star ", "+": " plus ", "|": " or "}
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|)")
"""Names that no folder can have on some systems."""
FOLDER = re.compile(r"[a-z0-9][a-z0-9-]*")


def folder_names(languages: Sequence[tuple[str, str]]) -> list[str]:
    """One for each name and key; a hash of both tells apart what would else be the same."""
    plain = [_plain(name) for name, _ in languages]
    found: list[str] = []
    for (name, key), folder in zip(languages, plain, strict=True):
        if plain.count(folder) > 1 or RESERVED.fullmatch(folder):
            digest = hashlib.sha256(f"{name}\n{key}".encode(errors="replace")).hexdigest()[:8]
            folder = f"{folder}-{digest}".lstrip("-")
        found.append(folder)
    return found


def _plain(name: str) -> str:
    text = name.lower().replace("^", "")
    for sign, word in SPELLED.items():
        text = text.replace(sign, word)
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:LONGEST].strip("-")
