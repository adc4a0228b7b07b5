// What the library shows to programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A function that compiled programs call. All else is hidden.
#define FINEGRAIN_OMP_ENTRY extern "C" __attribute__((visibility("default")))
