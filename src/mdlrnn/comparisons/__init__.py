"""The paper's comparisons: classical RNNs on the same data, the probe of the objective, the tables.

`_configurations` says which RNNs, `_cells`, `_tree` and `_training` train many of them at once,
`_judged` measures them as networks are measured, `_store` keeps what is done and `_baseline` is the
whole. `_evolved` keeps searches, `_probe` and `_formal_languages` are the paper's two tables, and
`_render` writes tables. PyTorch is imported only where an RNN is trained.
"""

from ._baseline import Standing as Standing
from ._baseline import Stopped as Stopped
from ._baseline import best as best
from ._baseline import train as train
from ._configurations import Configuration as Configuration
from ._configurations import configurations as configurations
from ._configurations import selected as selected

__all__ = ["Configuration", "Standing", "Stopped", "best", "configurations", "selected", "train"]
