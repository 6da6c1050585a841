"""Expressions: what a person writes of a language, its code in bits, and its probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import nodes as nodes
    from . import program as program
    from ._code import FINEST as FINEST
    from ._code import USUAL_MEAN as USUAL_MEAN
    from ._code import apart_bits as apart_bits
    from ._code import description_bits as description_bits
    from ._code import mean_bits as mean_bits
    from ._code import others_bits as others_bits
    from ._code import read_description as read_description
    from ._code import structure_bits as structure_bits
    from ._code import weights_bits as weights_bits
    from ._code import write_description as write_description
    from ._expression import STOPS as STOPS
    from ._expression import Chances as Chances
    from ._expression import Expression as Expression
    from ._expression import drawn as drawn
    from ._expression import expression_from as expression_from
    from ._expression import growth as growth
    from ._expression import usual_chances as usual_chances
    from ._mixture import Mixture as Mixture
    from ._regular import regular_expression as regular_expression
    from ._text import LONGEST as LONGEST
    from ._text import read as read
    from ._text import symbol_text as symbol_text
    from ._text import write as write
    from .nodes import Exponent as Exponent
    from .nodes import Node as Node
    from .program import Instruction as Instruction
    from .program import Program as Program
    from .program import Slot as Slot
    from .program import program_of as program_of
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
