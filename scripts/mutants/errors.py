# SPDX-License-Identifier: Apache-2.0
"""The error that ends the command with one line."""


class MutantError(Exception):
    """A mutant cannot be created or run."""
