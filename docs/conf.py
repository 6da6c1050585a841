"""How the documentation site is built: `sphinx-build -W docs build/site` (extra `docs`)."""

import mdlrnn

project = "mdlrnn"
version = release = mdlrnn.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
# search.html is taken by the page that Sphinx searches with, so searching.md holds search.md.
exclude_patterns = ["_build", "search.md"]
html_theme = "furo"
html_title = "mdlrnn"
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
# Types of NumPy and the standard library are named, not linked: the site is built offline.
suppress_warnings = ["ref.python"]


def _plain(app, what, name, obj, options, lines):
    """Docstrings are plain text: |G| is a length, not a substitution of reStructuredText."""
    lines[:] = [line.replace("|", r"\|").replace("`", "``") for line in lines]


def _renamed(app, name, source):
    source[0] = source[0].replace("](search.md", "](searching.md")


def setup(app):
    app.connect("source-read", _renamed)
    app.connect("autodoc-process-docstring", _plain)
