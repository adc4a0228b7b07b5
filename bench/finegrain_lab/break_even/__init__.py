# SPDX-License-Identifier: Apache-2.0
"""From which grain on handing over pays, and whether the controller knows it."""
