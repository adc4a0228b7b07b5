// What the library shows to programs.
#pragma once

/// A function that compiled programs call. All else is hidden.
#define FINEGRAIN_OMP_ENTRY extern "C" __attribute__((visibility("default")))
