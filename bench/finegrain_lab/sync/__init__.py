# SPDX-License-Identifier: Apache-2.0
"""Four ways to let threads take turns at an integer: cycles per operation, by threads."""
