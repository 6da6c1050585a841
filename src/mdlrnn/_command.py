"""Where the command `mdlrnn` starts: so little that a Ctrl-C at once is answered too."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from .cli import main as run  # heavier than this file

        run()
    except KeyboardInterrupt:
        sys.stderr.write("mdlrnn: stopped.\n")
        sys.exit(130)
