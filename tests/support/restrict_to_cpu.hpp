// A thread that may use one CPU only, as under taskset or in a container.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "finegrain/host/system.hpp"

namespace fg::test {

/// Leaves the calling thread one CPU. Unlike fg::pin_this_thread it does not remember the CPUs
/// before.
inline void restrict_this_thread_to(int cpu) {
  detail::cpu_mask mask;
  mask.add(cpu);
  ASSERT_FALSE(detail::set_own_mask(mask));
}

}  // namespace fg::test
