// A clock for the model checker, where time does not pass: stands in for the shipped
// thread/cpu_time.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <thread>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline std::uint64_t thread_cpu_ns(const std::thread& /*thread*/) noexcept { return 0; }

}  // namespace fg::inline FINEGRAIN_ABI::detail
