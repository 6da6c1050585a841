"""`python -m mdlrnn`: the command."""

from ._command import main

main()
