"""What a network is, what it costs, and what it computes, slowly and exactly.

`_network`, `_units`, `_activations` and `_alphabet` are the value, `_file` its file, `_encoding`,
`_code` and `schemes` the bits behind |G|, `_interpreter` the oracle that kernels, exports and
proofs are held against, `_text` a network in formulas, `_objective` what a search minimises.
"""

from ._activations import ACTIVATIONS as ACTIVATIONS
from ._activations import Activation as Activation
from ._code import decode as decode
from ._code import encode as encode
from ._encoding import Encoding as Encoding
from ._network import Network as Network
from ._objective import Objective as Objective
from ._objective import Score as Score
from ._units import Connection as Connection
from ._units import Unit as Unit
from ._units import Weight as Weight
