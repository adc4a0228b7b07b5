/* The version of these headers, for C and C++. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define FINEGRAIN_VERSION_MAJOR 0
#define FINEGRAIN_VERSION_MINOR 1
#define FINEGRAIN_VERSION_PATCH 0
#define FINEGRAIN_VERSION "0.1.0"
