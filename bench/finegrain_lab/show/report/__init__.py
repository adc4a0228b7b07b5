# SPDX-License-Identifier: Apache-2.0
"""The one page of all results: the answer, then the papers."""
