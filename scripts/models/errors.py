# SPDX-License-Identifier: Apache-2.0
"""What ends the command with one line."""


class ModelError(Exception):
    """Something is not there, or not as it has to be."""
