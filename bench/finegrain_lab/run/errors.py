# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that the command shows, and the system's words for another."""


class LabError(Exception):
    """Ends the command with one line on standard error.

    Anything else that escapes is a defect of the lab, and shows its traceback.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        line = " ".join(message.split())
        # What steers a terminal may stand in a file.
        super().__init__("".join(it if it.isprintable() else "?" for it in line))
        self.exit_code = exit_code


class NotWritten(LabError):  # noqa: N818 - says what happened
    """There is no room for what was measured, or no right to write it; what was written stays."""


def reason_of(error: OSError) -> str:
    """Returns what the system said, without the errno and the path that str(error) has."""
    return (error.strerror or str(error)).lower()
