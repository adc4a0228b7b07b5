// A relic behind a handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/finegrain.h"
#include "finegrain/relic/relic.hpp"

struct fg_relic {
  explicit fg_relic(const fg::relic_options& options) : relic{options} {}
  fg::relic relic;
};
