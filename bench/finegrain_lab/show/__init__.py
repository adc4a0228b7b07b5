# SPDX-License-Identifier: Apache-2.0
"""What is made of a result file: rows, tables, figures, pages, comparisons."""
