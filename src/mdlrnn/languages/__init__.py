"""Languages as probabilistic machines over counters: those of the paper, and one's own."""

from ._counting import anb2n as anb2n
from ._counting import anbmcnm as anbmcnm
from ._counting import anbn as anbn
from ._counting import anbncn as anbncn
from ._counting import anbncndn as anbncndn
from ._dyck import dyck as dyck
from ._grammar import Grammar as Grammar
from ._grammar import load_grammar as load_grammar
from ._machine import Configuration as Configuration
from ._machine import Language as Language
from ._machine import Next as Next
from ._rules import Affine as Affine
from ._rules import Condition as Condition
from ._rules import Rule as Rule
from ._rules import counter as counter
from ._transducer import Transducer as Transducer
from ._transducer import Transition as Transition
from ._transducer import addition as addition
from ._truth import Truth as Truth
from ._truth import is_mistake as is_mistake
