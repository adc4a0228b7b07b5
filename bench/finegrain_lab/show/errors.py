# SPDX-License-Identifier: Apache-2.0
"""What is told of result files that are not what they should be."""

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
        told = f"the results in {what} do not fit together: {described(error)}"
        raise LabError(told) from error


def described(error: Exception) -> str:
    """Returns what the error says, and where it was raised: it may be the experiment's own."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
