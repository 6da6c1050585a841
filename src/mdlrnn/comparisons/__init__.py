"""The paper's comparisons: classical RNNs on the same data, the probe of the objective, the tables.

`_configurations` says which RNNs, `_cells`, `_tree` and `_training` train many of them at once,
`_evaluation` measures them as networks are measured, `_group` is all of that for those that train
as one, here or on a worker; `_store` keeps what is done and `_baseline` is the whole. `_runs` keeps
searches, `_probe` and `_formal_languages` are the paper's two tables, `_sheet` and `_page` write
them. PyTorch is imported only where an RNN is trained.
"""

from ._baseline import Stopped as Stopped
from ._baseline import best as best
from ._baseline import train as train
from ._configurations import Configuration as Configuration
from ._configurations import configurations as configurations
from ._configurations import selected as selected
from ._group import TrainingProgress as TrainingProgress

__all__ = [
    "Configuration",
    "Stopped",
    "TrainingProgress",
    "best",
    "configurations",
    "selected",
    "train",
]
