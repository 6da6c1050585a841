"""Options of `prove` and `explain`."""

from __future__ import annotations

import click

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "markdown", "latex"]),
    default="text",
    show_default=True,
    help="How it is written.",
)
