// Many tasks that do not spawn: what is spawned, and by how many threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>

#include "finegrain/core/atomic.hpp"

namespace fg::bench {

/// `producers` threads spawn `tasks_each` tasks each and wait for them, the first one `ahead`
/// additional tasks before these; the other threads only take tasks. Task i of all is the call
/// `work(context, i)`.
struct flat_job {
  std::size_t producers = 1;
  std::uint64_t tasks_each = 0;
  std::uint64_t ahead = 0;
  void (*work)(const void* context, std::uint64_t index) = nullptr;
  const void* context = nullptr;

  [[nodiscard]] std::uint64_t tasks() const noexcept { return ahead + producers * tasks_each; }
  void run(std::uint64_t index) const { work(context, index); }
  /// The first task of a producer, and one past its last.
  [[nodiscard]] std::uint64_t first_of(std::size_t producer) const noexcept {
    return producer == 0 ? 0 : end_of(producer - 1);
  }
  [[nodiscard]] std::uint64_t end_of(std::size_t producer) const noexcept {
    return ahead + (producer + 1) * tasks_each;
  }
};

/// Where the producers wait for one another, so that each is on a thread of its own. They wait
/// without running tasks: for runtimes whose producers are tasks themselves.
class start_gate {
 public:
  explicit start_gate(std::size_t producers) : missing_{producers} {}

  /// Returns when all producers have called it. Yields meanwhile: there may be fewer CPUs.
  void arrive_and_wait() {
    // Sequentially consistent, like everything that is not measured.
    for (--missing_; missing_ != 0;) {
      std::this_thread::yield();
    }
  }

 private:
  atomic<std::size_t> missing_;
};

}  // namespace fg::bench
