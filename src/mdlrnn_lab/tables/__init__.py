"""The paper's tables, the probe, the regularisers and BLISS."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._bliss import MOST_STRINGS as MOST_STRINGS
    from ._bliss import SEARCHED as SEARCHED
    from ._bliss import STRINGS as STRINGS
    from ._bliss import Row as Row
    from ._bliss import bliss as bliss
    from ._bliss import bliss_notes as bliss_notes
    from ._bliss import bliss_rows as bliss_rows
    from ._bliss import bliss_table as bliss_table
    from ._formal_languages import Entry as Entry
    from ._formal_languages import evolved_for as evolved_for
    from ._formal_languages import flat as flat
    from ._formal_languages import has_published as has_published
    from ._formal_languages import judged as judged
    from ._formal_languages import probe as probe
    from ._formal_languages import probe_page as probe_page
    from ._formal_languages import probe_sheet as probe_sheet
    from ._formal_languages import table_page as table_page
    from ._formal_languages import table_sheet as table_sheet
    from ._formal_languages import unproved as unproved
    from ._handful import SEARCH_SECONDS as SEARCH_SECONDS
    from ._handful import handful as handful
    from ._handful import handful_table as handful_table
    from ._handful import row_text as row_text
    from ._regularisers import REGULARISERS as REGULARISERS
    from ._regularisers import cells as cells
    from ._regularisers import figures_of as figures_of
    from ._regularisers import golden_figures as golden_figures
    from ._regularisers import regularisers_page as regularisers_page
    from ._regularisers import regularisers_sheet as regularisers_sheet
    from ._runs import Runner as Runner
    from ._runs import RunStopped as RunStopped
    from ._runs import check_folder as check_folder
    from ._sheet import Sheet as Sheet
    from ._sheet import csv_of as csv_of
    from ._sheet import latex as latex
    from ._sheet import published_for as published_for
else:
    from mdlrnn.door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
