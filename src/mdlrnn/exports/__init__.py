"""Networks for other tools: PyTorch, ONNX, SymPy, plain Python, C99, NLTK, networkx, Graphviz.

An export computes what the interpreter computes, or refuses. Each is a function here; a network has
the most used ones as methods (`net.to_torch()`, `net.to_sympy()`, `net.to_python()`). What they
share is in `_formulas`: the order in which units are evaluated and terms are added.
"""

from ._c import c as c
from ._export import FORMATS as FORMATS
from ._export import export as export
from ._graph import graphml as graphml
from ._graph import graphviz as graphviz
from ._graph import networkx as networkx
from ._nltk import nltk as nltk
from ._onnx import onnx as onnx
from ._python import python as python
from ._sympy import sympy as sympy
from ._torch import from_torch as from_torch
from ._torch import load_torch as load_torch
from ._torch import torch as torch

__all__ = [
    "FORMATS", "c", "export", "from_torch", "graphml", "graphviz", "load_torch", "networkx", "nltk",
    "onnx", "python", "sympy", "torch",
]  # fmt: skip
