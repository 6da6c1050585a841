"""A real browser for tests of the page: Debian's Chromium, or any other, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mdlrnn import Network
from mdlrnn.proofs import Proof
from mdlrnn.show._content import network_content
from mdlrnn.show._page import page

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
PATIENCE = 300_000
"""Milliseconds that a browser may take for anything."""


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
        browser = play.chromium.launch(executable_path=path, args=list(_QUIET), timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


READ = """() => {
    const row = document.querySelector("#rows tr[aria-current]");
    const all = (s) => [...row.querySelectorAll(s)].map((td) => td.dataset.value);
    return {
      step: Number(row.querySelector("th").textContent),
      units: [...row.querySelectorAll("[data-unit-value]")].map((c) => Number(c.dataset.unitValue)),
      values: all("[data-unit-value]"), chances: all("[data-chance]"),
      bars: [...document.querySelectorAll("#chances output")].map((o) => o.dataset.value),
      drawn: [...document.querySelectorAll("#drawing .value")].map((t) => t.textContent),
    };}"""
"""What the page shows of the current step."""
IS_FED = """() => {
    const of = (id) => document.getElementById(id);
    return of("string").getAttribute("aria-invalid") === "true"
      || of("where").textContent.startsWith(`step ${of("slider").value} `);}"""
"""Whether the string is fed as far as the slider stands, or refused. The page feeds it in slices,
and what it shows in between is the last step that it has come to."""


class Tab:
    """A page that is open, with what went wrong on it."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.tab = self.context.new_page()
        self.requests: list[str] = []
        self.failed: list[tuple[str, str]] = []
        self.errors: list[str] = []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("requestfailed", lambda r: self.failed.append((r.url, str(r.failure))))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        self.tab.goto(path.as_uri())
        self.wait()

    def wait(self) -> None:
        """Until the page is there and the string is fed."""
        self.tab.wait_for_selector("html[data-ready]", state="attached")
        self.tab.wait_for_function(IS_FED)

    def enter(self, string: str) -> None:
        """Type the string, and wait until it is fed."""
        self.tab.fill("#string", string)
        self.wait()

    def steps(self, string: str) -> list[dict[str, Any]]:
        """Type the string, step through it with the mouse, and read each step off the page."""
        tab = self.tab
        self.enter(string)
        assert tab.text_content("#message") == ""
        count = int(tab.get_attribute("#slider", "max")) + 1
        tab.fill("#slider", "0")
        found = []
        for i in range(count):
            found.append(tab.evaluate(f"() => ({READ})()"))
            assert found[-1]["step"] == i
            if i + 1 < count:
                tab.click("#next")
        return found

    def quick_steps(self, string: str) -> list[dict[str, Any]]:
        """The same, pressing the button from within the page."""
        self.enter(string)
        self.tab.fill("#slider", "0")
        found: list[dict[str, Any]] = self.tab.evaluate(
            f"""() => {{
            const read = {READ}, next = document.getElementById("next"), found = [read()];
            while (!next.disabled) {{ next.click(); found.push(read()); }}
            return found; }}"""
        )
        return found

    def close(self) -> None:
        assert self.errors == []
        assert all(url.startswith("file:") for url in self.requests)
        assert len(self.requests) == 1
        self.context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Tab]]:
    opened: list[Tab] = []

    def opening(net: Network, theorem: Proof | None = None, **options: Any) -> Tab:
        path = tmp_path / f"page{len(opened)}.html"
        content = network_content(net, net.name or "a network")
        if theorem is not None and content.verdict is not None:
            content = replace(content, verdict=replace(content.verdict, proof=theorem))
        path.write_text(page(content), encoding="utf-8")
        opened.append(Tab(browser, path, **options))
        return opened[-1]

    yield opening
    for tab in opened:
        tab.close()
