"""A real browser for tests of the page: Debian's Chromium, or any other, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; where there is none, or no Playwright, the test is skipped and says so."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="no browser test: Playwright is not installed"
    )
    named = [os.environ.get("MDLRNN_BROWSER"), *map(shutil.which, _NAMES)]
    path = next((name for name in named if name), None)
    if path is None:
        pytest.skip("no browser test: no Chromium is installed (set MDLRNN_BROWSER to its path)")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(_QUIET))
        try:
            yield browser
        finally:
            browser.close()
