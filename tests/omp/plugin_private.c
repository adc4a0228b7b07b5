// The plugin has brought a copy of its runtime along, under a name that only it knows: how Python
// packages come with OpenMP.
/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.c"
