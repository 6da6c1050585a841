"""The paper's tasks and its measures: `tasks()` lists the tasks.

`_tasks` has the training and test sets, `_measures` how well a network does on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._tasks import Task as Task


def tasks() -> tuple[Task, ...]:
    """The paper's tasks and two that followed it; each has a name, a title, training sizes and a
    language."""
    from ._tasks import EVERY_TASK

    return tuple(EVERY_TASK.values())
