# SPDX-License-Identifier: Apache-2.0
"""The lab: runs experiments, computes statistics, draws tables, plots and reports."""
