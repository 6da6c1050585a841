"""A page to look inside a network: one self-contained HTML file.

`page(content)` writes it; `network_content` and `run_content` gather what it shows.
"""

from ._content import Content as Content
from ._content import Search as Search
from ._content import Theorem as Theorem
from ._html import page as page
from ._sources import content_of as content_of
from ._sources import network_content as network_content
from ._sources import run_content as run_content

__all__ = ["Content", "Search", "Theorem", "content_of", "network_content", "page", "run_content"]
