"""The one kind of error that the command shows, and the words for others."""

from pydantic import ValidationError


class LabError(Exception):
    """Ends the command with one line on standard error.

    Anything else that escapes is a defect of the lab, and shows its traceback.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = exit_code


def reason_of(error: OSError) -> str:
    """Returns what the system said, without the errno and the path that str(error) has."""
    return (error.strerror or str(error)).lower()


def fault_of(error: ValidationError) -> str:
    """Returns where a file is first not what was expected, and how."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    return f"{where}: {first['msg']}"
