"""The lab: runs experiments, computes statistics, draws tables, plots and reports."""
