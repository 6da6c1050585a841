"""Machines: states, counters and rules; their files, and the algebra of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._algebra import NAMES as NAMES
    from ._algebra import determinised as determinised
    from ._algebra import product as product
    from ._algebra import renamed as renamed
    from ._algebra import smallest as smallest
    from ._algebra import started as started
    from ._algebra import state_names as state_names
    from ._algebra import tidied as tidied
    from ._algebra import with_fewer_counters as with_fewer_counters
    from ._counters import live_rules as live_rules
    from ._files import SUFFIXES as SUFFIXES
    from ._files import from_json as from_json
    from ._files import load_language as load_language
    from ._files import load_machine as load_machine
    from ._files import machine_from_text as machine_from_text
    from ._files import to_json as to_json
    from ._machine import MARGIN as MARGIN
    from ._machine import SEEDS as SEEDS
    from ._machine import Configuration as Configuration
    from ._machine import Draw as Draw
    from ._machine import Machine as Machine
    from ._machine import Next as Next
    from ._machine import Ready as Ready
    from ._machine import Strings as Strings
    from ._machine import Symbols as Symbols
    from ._machine import Truth as Truth
    from ._machine import is_mistake as is_mistake
    from ._machine import is_sure as is_sure
    from ._machine import leads as leads
    from ._machine import mistakes as mistakes
    from ._machine import random_from as random_from
    from ._rules import END as END
    from ._rules import Affine as Affine
    from ._rules import Condition as Condition
    from ._rules import Rule as Rule
    from ._rules import RulesAtOdds as RulesAtOdds
    from ._rules import check_configuration as check_configuration
    from ._rules import condition_text as condition_text
    from ._rules import counter as counter
    from ._rules import expression_text as expression_text
    from ._rules import reader as reader
    from ._rules import rule_text as rule_text
    from ._transducer import AnyMachine as AnyMachine
    from ._transducer import Transducer as Transducer
    from ._transducer import addition as addition
    from ._transducer import pairs as pairs
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
