# SPDX-License-Identifier: Apache-2.0
"""finegrain's headers, libraries and commands; `python -m finegrain --help` says where they lie."""
