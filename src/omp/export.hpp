// Marks the functions that the library exports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Exports a function that compiled programs call. Everything else is hidden.
#define FINEGRAIN_OMP_ENTRY extern "C" __attribute__((visibility("default")))
