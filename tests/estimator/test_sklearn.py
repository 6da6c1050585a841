"""scikit-learn's own tools on the estimator: its checks, clones, cross-validation and grids."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

from mdlrnn import MDLRNN, Search, Stop

pytest.importorskip("sklearn", reason="no estimator is checked: scikit-learn is not installed")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

STRINGS = ["a" * n + "b" * n for n in (1, 2, 3, 1, 1, 2, 4, 5, 1, 2, 1, 3)]
APPLY = (
    "check_do_not_raise_errors_in_init_or_set_params", "check_estimator_cloneable",
    "check_estimator_repr", "check_estimator_tags_renamed", "check_estimators_unfitted",
    "check_fit1d", "check_get_params_invariance", "check_mixin_order",
    "check_no_attributes_set_in_init", "check_parameters_default_constructible",
    "check_set_params", "check_valid_tag_types",
)  # fmt: skip
"""The checks that fit nothing to a matrix of numbers. All others do, which is no input here; what
they ask is asked of strings in test_estimator.py: that fit returns the estimator, repeats itself,
keeps the parameters and can be pickled, and that answers do not depend on their neighbours."""


def small() -> MDLRNN:
    return MDLRNN(Search(islands=1, population=10), Stop(generations=5), random_state=1, workers=1)


def test_check_estimator_passes() -> None:
    """It looks at the tags, and asks only what it can of an estimator of strings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator_checks.check_estimator(small())


@pytest.mark.parametrize("name", APPLY)
def test_the_checks_that_apply_pass(name: str) -> None:
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"this version of scikit-learn has no {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check("MDLRNN", small())


def test_the_other_checks_fit_numbers() -> None:
    """Each of them comes to fit with a matrix, or is skipped; none fails before."""

    class OfMatrices(MDLRNN):
        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False
            return tags

        def fit(self, X: Any, y: Any = None) -> OfMatrices:  # noqa: N803
            raise _FittedNumbers

    failed = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check in estimator_checks._yield_all_checks(OfMatrices(), legacy=True):
            name = check.func.__name__ if isinstance(check, partial) else check.__name__
            if name in APPLY:
                continue
            try:
                check("MDLRNN", OfMatrices())
            except _FittedNumbers:
                continue
            except BaseException as error:
                if not _is_caused_by_fit(error) and type(error).__name__ != "SkipTest":
                    failed.append((name, error))
    assert failed == []


class _FittedNumbers(BaseException):
    pass


def _is_caused_by_fit(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, _FittedNumbers):
            return True
        error = error.__cause__ or error.__context__
    return False


def test_clones_have_the_parameters_and_nothing_else() -> None:
    estimator = small().fit(STRINGS)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "best_")


def test_scikit_learn_knows_whether_it_is_fitted() -> None:
    with pytest.raises(NotFittedError):
        check_is_fitted(small())
    with pytest.raises(NotFittedError):
        small().predict(["a"])
    check_is_fitted(small().fit(STRINGS))


@pytest.mark.parametrize("kind", [list, np.array])
def test_cross_validation(kind: Any) -> None:
    scores = cross_val_score(small(), kind(STRINGS), cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert (scores < 0).all()


def test_a_grid_reaches_into_the_search() -> None:
    grid = GridSearchCV(
        small(), {"search__population": [4, 10], "random_state": [1, 2]}, cv=2, error_score="raise"
    ).fit(STRINGS)
    assert len(grid.cv_results_["params"]) == 4
    assert grid.best_estimator_.best_.alphabet == ("#", "a", "b")
    assert grid.score(STRINGS) == grid.best_estimator_.score(STRINGS)


def test_it_stands_at_the_end_of_a_pipeline() -> None:
    lower = FunctionTransformer(lambda strings: [string.lower() for string in strings])
    pipeline = make_pipeline(lower, small()).fit([string.upper() for string in STRINGS])
    assert pipeline.predict(["AA"])[0] in ("#", "a", "b")
    assert pipeline.score(["AABB"]) < 0
