// Relics with an assistant, if there are two CPUs, and without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace fg::test {

/// Calls `body(relic)` for one of each, on a thread of its own, the relic's main thread.
template <class Body>
void with_relics_of_both_modes(Body body) {
  for (const bool inlined : {false, true}) {
    on_thread([&] {
      if (inlined) {
        restrict_this_thread_to(usable_cpus().front());
      }
      fg::relic relic{{.main_helps = false}};  // tasks run on the assistant, if there is one
      body(relic);
    });
  }
}

}  // namespace fg::test
