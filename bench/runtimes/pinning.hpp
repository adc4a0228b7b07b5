// Tying a benchmark's threads to their CPUs, or not measuring at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Ties the calling thread to `cpu`. Throws std::runtime_error: a sample from another CPU than the
/// one asked for is not a sample.
inline void require_cpu(int cpu) {
  if (const auto error = pin_this_thread(cpu)) {
    throw std::runtime_error("cannot run on CPU " + std::to_string(cpu) + ": " + error.message());
  }
}

}  // namespace fg::bench
