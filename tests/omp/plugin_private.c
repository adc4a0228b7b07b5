// The plugin brings its own copy of its runtime, under a name that only it knows: as Python
// packages ship OpenMP.
/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.c"
