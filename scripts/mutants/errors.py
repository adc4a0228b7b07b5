# SPDX-License-Identifier: Apache-2.0
"""What ends the command with one line."""


class MutantError(Exception):
    """A mutant can not be made, or not be run."""
