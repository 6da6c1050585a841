"""Drawings, plots and the HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._automaton import picture_of_machine as picture_of_machine
    from ._content import Content as Content
    from ._content import content_of as content_of
    from ._content import example_of as example_of
    from ._content import network_content as network_content
    from ._content import run_content as run_content
    from ._drawing import Drawing as Drawing
    from ._drawing import draw as draw
    from ._formats import FORMATS as FORMATS
    from ._formats import PLOT_FORMATS as PLOT_FORMATS
    from ._formats import Circle as Circle
    from ._formats import Curve as Curve
    from ._formats import Picture as Picture
    from ._formats import Point as Point
    from ._formats import Shape as Shape
    from ._formats import Words as Words
    from ._formats import escaped as escaped
    from ._formats import format_of as format_of
    from ._formats import picture_bytes as picture_bytes
    from ._formats import svg as svg
    from ._page import asset as asset
    from ._page import document as document
    from ._page import facts as facts
    from ._page import page as page
    from ._page import paragraph as paragraph
    from ._page import score_section as score_section
    from ._page import script_of as script_of
    from ._page import section as section
    from ._page import table as table
    from ._page import theorem_section as theorem_section
    from ._page import verdict_section as verdict_section
    from ._plots import Front as Front
    from ._plots import History as History
    from ._plots import Probabilities as Probabilities
    from ._plots import accuracy as accuracy
    from ._plots import front as front
    from ._plots import history as history
    from ._plots import lines_over_strings as lines_over_strings
    from ._plots import plot_accuracy as plot_accuracy
    from ._plots import plot_enough as plot_enough
    from ._plots import plot_front as plot_front
    from ._plots import plot_history as plot_history
    from ._plots import plot_probabilities as plot_probabilities
    from ._plots import plot_values as plot_values
    from ._plots import probabilities as probabilities
    from ._plots import run_html as run_html
    from ._plots import values as values
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
