# SPDX-License-Identifier: Apache-2.0
"""The Relic paper's experiment."""
