"""What a network is, what it costs, and what it computes, slowly and exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._code import Part as Part
    from ._code import check_encodable as check_encodable
    from ._code import decode as decode
    from ._code import encode as encode
    from ._code import length as length
    from ._code import parts as parts
    from ._code import roles_fit as roles_fit
    from ._encoding import OBJECTIVES as OBJECTIVES
    from ._encoding import SCHEMES as SCHEMES
    from ._encoding import Encoding as Encoding
    from ._encoding import Objective as Objective
    from ._encoding import Score as Score
    from ._interpreter import EXACT as EXACT
    from ._interpreter import EXACT_CUT as EXACT_CUT
    from ._interpreter import EXP_OVERFLOW as EXP_OVERFLOW
    from ._interpreter import FLOAT as FLOAT
    from ._interpreter import FLOAT_CUT as FLOAT_CUT
    from ._interpreter import LEAST_TOTAL as LEAST_TOTAL
    from ._interpreter import SATURATION as SATURATION
    from ._interpreter import distribution as distribution
    from ._interpreter import feed as feed
    from ._interpreter import input_rows as input_rows
    from ._interpreter import log2 as log2
    from ._interpreter import plan as plan
    from ._interpreter import stepper as stepper
    from ._network import Network as Network
    from ._network import counted as counted
    from ._network import describe as describe
    from ._network import json_text as json_text
    from ._network import powers as powers
    from ._network import read_json as read_json
    from ._network import summary as summary
    from ._network import to_dict as to_dict
    from ._units import ACTIVATIONS as ACTIVATIONS
    from ._units import BOUNDARY as BOUNDARY
    from ._units import DEFAULT_ACTIVATIONS as DEFAULT_ACTIVATIONS
    from ._units import KINDS as KINDS
    from ._units import LARGEST_INTEGER as LARGEST_INTEGER
    from ._units import MOST_SYMBOLS as MOST_SYMBOLS
    from ._units import MOST_UNITS as MOST_UNITS
    from ._units import TYPES as TYPES
    from ._units import Arithmetic as Arithmetic
    from ._units import Connection as Connection
    from ._units import Number as Number
    from ._units import Unit as Unit
    from ._units import Weight as Weight
    from ._units import check_alphabet as check_alphabet
    from ._units import has_words as has_words
    from ._units import spelled as spelled
    from ._units import symbols_of as symbols_of
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
