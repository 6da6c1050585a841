"""`python -m mdlrnn`: the command."""

from __future__ import annotations

from ._command import main

main()
