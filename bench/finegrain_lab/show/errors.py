# SPDX-License-Identifier: Apache-2.0
"""What is told of result files that are not what they should be."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import TemplateError

from finegrain_lab.run.errors import LabError

_MISFITS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeWarning,
    TemplateError,
    TypeError,
    ValueError,
)


@contextmanager
def reading_out(what: str) -> Iterator[None]:
    """Raises LabError where results that keep to their schemas do not fit together.

    Rows that others refer to are missing, say, or a number is beyond what can be reckoned with. The
    schemas do not say all of that; each table asks for its part.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # numpy's: an overflow
            yield
    except _MISFITS as error:
        told = f"{type(error).__name__}: {error}"
        raise LabError(f"the results in {what} do not fit together: {told}") from error
