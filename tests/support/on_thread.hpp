// Runs part of a test on a thread of its own, so that its effects on the thread end with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "finegrain/core/atomic.hpp"

namespace fg::test {

/// Runs `body` on a new thread and joins it.
template <class Body>
void on_thread(Body&& body) {
  std::thread{[&body] { body(); }}.join();
}

}  // namespace fg::test
