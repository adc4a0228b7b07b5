// A pool behind a handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "finegrain/finegrain.h"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/pool.hpp"

/// Holds one of the two kinds of pool, and the strings that C programs read.
struct fg_pool {
  fg_pool(const fg::pool_options& options, bool has_assistants) {
    if (has_assistants) {
      hybrid.emplace(options);
      workers = &hybrid->workers();
    } else {
      plain.emplace(options);
      workers = &*plain;
    }
    policy = workers->policy();
    wait_policy = workers->wait_policy();
  }

  std::optional<fg::pool> plain;
  std::optional<fg::hybrid_pool> hybrid;
  fg::pool* workers = nullptr;
  std::string policy;
  std::string wait_policy;
};
