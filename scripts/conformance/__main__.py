# SPDX-License-Identifier: Apache-2.0
"""Runs the command: python -m scripts.conformance, in the repository's root."""

import sys

from .cli import main

sys.exit(main())
