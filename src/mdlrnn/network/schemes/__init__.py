"""The encoding schemes: a file for each, and the table of them here."""

from ._abudy2025 import ABUDY2025
from ._paper import PAPER
from ._parts import PARTS
from ._scheme import Scheme as Scheme
from ._tacl2022 import TACL2022

SCHEMES = {scheme.name: scheme for scheme in (PAPER, TACL2022, ABUDY2025, PARTS)}
