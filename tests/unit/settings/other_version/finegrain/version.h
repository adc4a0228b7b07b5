/* The version of other headers; otherwise this file is the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define FINEGRAIN_VERSION_MAJOR 0
#define FINEGRAIN_VERSION_MINOR 1
#define FINEGRAIN_VERSION_PATCH 99
#define FINEGRAIN_VERSION "0.1.99"
