"""What users call, in Python and through the command line, which is a thin layer over it.

`_evolve` searches and goes on with searches, `_carry_out` takes a run to its end, `_proving` proves
beside it, `_functions` has the others, `_progress` is what is seen meanwhile, `_text` writes for a
terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._evolve import CARD_ISLANDS as CARD_ISLANDS
    from ._evolve import evolve as evolve
    from ._evolve import resume as resume
    from ._evolve import suggest as suggest
    from ._functions import Step as Step
    from ._functions import check as check
    from ._functions import compare as compare
    from ._functions import construct as construct
    from ._functions import explain as explain
    from ._functions import feed as feed
    from ._functions import learned as learned
    from ._functions import outcomes as outcomes
    from ._functions import prove as prove
    from ._functions import report as report
    from ._functions import sample as sample
    from ._functions import score as score
    from ._functions import score_many as score_many
    from ._functions import test as test
    from ._functions import verdict_by as verdict_by
    from ._language import Description as Description
    from ._language import describe as describe
    from ._language import language as language
    from ._progress import EXIT_CODE as EXIT_CODE
    from ._progress import Display as Display
    from ._progress import StopSignals as StopSignals
    from ._progress import display_for as display_for
    from ._progress import say_now as say_now
    from ._seeds import seeds_table as seeds_table
    from ._text import bits_text as bits_text
    from ._text import columns as columns
    from ._text import count_text as count_text
    from ._text import curve_text as curve_text
    from ._text import filled as filled
    from ._text import is_short as is_short
    from ._text import json_number as json_number
    from ._text import json_text as json_text
    from ._text import label_text as label_text
    from ._text import number_text as number_text
    from ._text import parse_time as parse_time
    from ._text import say as say
    from ._text import say_data as say_data
    from ._text import say_json as say_json
    from ._text import say_json_text as say_json_text
    from ._text import shell_text as shell_text
    from ._text import table as table
    from ._text import terminal_width as terminal_width
    from ._text import time_text as time_text
    from ._text import wrapped as wrapped
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
