"""Networks for other tools: PyTorch, ONNX, SymPy, Python, C, NLTK, networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._c import c as c
    from ._export import FORMATS as FORMATS
    from ._export import export as export
    from ._export import format_by_ending as format_by_ending
    from ._export import graphml as graphml
    from ._export import graphviz as graphviz
    from ._export import networkx as networkx
    from ._export import nltk as nltk
    from ._export import sympy as sympy
    from ._onnx import onnx as onnx
    from ._python import python as python
    from ._torch import from_torch as from_torch
    from ._torch import load_torch as load_torch
    from ._torch import torch as torch
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
