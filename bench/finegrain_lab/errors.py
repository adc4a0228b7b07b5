# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that the command shows, and the words for others."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import TemplateError
from pydantic import ValidationError


class LabError(Exception):
    """Ends the command with one line on standard error.

    Anything else that escapes is a defect of the lab, and shows its traceback.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        line = " ".join(message.split())
        # What steers a terminal may stand in a file.
        super().__init__("".join(it if it.isprintable() else "?" for it in line))
        self.exit_code = exit_code


def reason_of(error: OSError) -> str:
    """Returns what the system said, without the errno and the path that str(error) has."""
    return (error.strerror or str(error)).lower()


def fault_of(error: ValidationError) -> str:
    """Returns where a file is first not what was expected, and how."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    return f"{where}: {first['msg']}"


_MISFITS = (ArithmeticError, LookupError, RuntimeWarning, TemplateError, TypeError, ValueError)


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
