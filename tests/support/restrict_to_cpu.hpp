// A thread that may use one CPU only, as under taskset or in a container.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>

namespace fg::test {

/// Leaves the calling thread one CPU. Unlike fg::pin_this_thread it does not remember the CPUs
/// before.
inline void restrict_this_thread_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

}  // namespace fg::test
