"""An atlas of what was found: a folder of results in, a site with a page for each language out.

`build(results, site)` writes it. Pages are HTML files that hold all they need, as `page` has them.
"""

from ._build import Site as Site
from ._build import build as build

__all__ = ["Site", "build"]
