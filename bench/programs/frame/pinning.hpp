// Pins a benchmark's threads to their CPUs, or reports that it cannot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Pins the calling thread to `cpu`. Throws std::runtime_error if that fails: a sample taken on
/// another CPU than the requested one is invalid.
inline void require_cpu(int cpu) {
  if (const auto error = pin_this_thread(cpu)) {
    throw std::runtime_error("cannot run on CPU " + std::to_string(cpu) + ": " + error.message());
  }
}

}  // namespace fg::bench
