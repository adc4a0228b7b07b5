// A relic whose two threads share a CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"

namespace fg::test {

/// Calls `body(relic)` on a new thread, which is pinned to the CPU of the relic's assistant: every
/// hand-off needs the scheduler.
template <class Body>
void with_relic_on_one_cpu(Body body) {
  on_thread([&body] {
    const int cpu = usable_cpus().front();
    ASSERT_FALSE(pin_this_thread(cpu));
    relic relic{{.assistant_cpu = cpu}};
    ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
    body(relic);
  });
}

}  // namespace fg::test
