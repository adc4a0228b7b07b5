# SPDX-License-Identifier: Apache-2.0
"""The first task after an idle gap, and what waiting for it burned."""
