"""Build the whole site: this documentation, and in it the atlas of a folder of results.

    python docs/build.py RESULTS OUT

Needs the extras `docs`, `prove` and `grammar`. What the atlas has found out is kept in OUT, so that
a second call is quick.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mdlrnn

HERE = Path(__file__).parent


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python docs/build.py RESULTS OUT")
    results, out = map(Path, sys.argv[1:])
    try:
        mdlrnn.atlas(
            results, out / "atlas", docs="../index.html", processes=os.cpu_count() or 1, tell=print
        )
    except mdlrnn.InputError as error:
        sys.exit(f"docs/build.py: {error}")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-t", "atlas", str(HERE), str(out)]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
