"""An HTML file that holds all it needs: what the page and the atlas have in common.

Scripts and styles are plain files in `assets`, written into the page as they are. A content
security policy names their hashes and forbids everything else: any other script, any request.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from .._version import __version__
from ..drawing._svg import escaped


def document(title: str, body: str, style: str, script: str = "", head: str = "") -> str:
    """The file's text; `body` and `head` are HTML, the title is text."""
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; {scripts}style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    last = f"\n<script>{script}</script>" if script else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
{head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="mdlrnn {__version__}">
<title>{escaped(title)}</title>
<style>{style}</style>
</head>
<body>
{body}{last}
</body>
</html>
"""


def script_of(*texts: str) -> str:
    """One script of these, with names of its own."""
    return '"use strict";\n(() => {\n' + "\n".join(texts) + "\n})();\n"


def asset(name: str, package: str = __package__) -> str:
    """The text of a file in the folder `assets` of a room."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
