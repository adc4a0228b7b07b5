# SPDX-License-Identifier: Apache-2.0
"""Lets `python -m finegrain_lab` be the command."""

import sys

from finegrain_lab.cli import main

sys.exit(main())
