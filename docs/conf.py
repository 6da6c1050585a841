"""How the documentation site is built: `sphinx-build -W docs build/site` (extra `docs`)."""

import mdlrnn

project = "mdlrnn"
version = release = mdlrnn.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
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


def setup(app):
    app.connect("autodoc-process-docstring", _plain)
