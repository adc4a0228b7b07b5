// Short delays whose number can be checked, by thread: the work inside regions and between
// barriers.
// Compiled once for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fg::bench {

/// Every thread has a chain of steps; a delay walks part of it. Call `begin` and `require` on
/// threads that are ordered before and after all delays.
class thread_delays {
 public:
  /// Starts new chains for all threads.
  static void begin();

  /// The calling thread's next delay, of about 0.1 us, EPCC's default; the first one after `begin`
  /// takes a lock. Any thread.
  static void delay();

  /// Throws wrong_result unless exactly `threads` threads have made delays, `delays` each.
  static void require(std::size_t threads, std::uint64_t delays);

  /// Throws wrong_result unless all threads together have made exactly `delays` delays.
  static void require_in_all(std::uint64_t delays);
};

}  // namespace fg::bench
