# SPDX-License-Identifier: Apache-2.0
"""The error that ends the command with one line."""


class ModelError(Exception):
    """Something is missing or wrong."""
