# SPDX-License-Identifier: Apache-2.0
"""The error that ends the command with one line."""


class ConformanceError(Exception):
    """Something is missing or wrong; the message is one line for the user."""
