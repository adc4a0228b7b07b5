// Short delays whose number can be checked, by thread: what region and barrier stand around.
// Compiled once, for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fg::bench {

/// Every thread has a chain of steps; a delay walks a piece of it. `begin` and `require` are for a
/// thread that is ordered before and behind all delays.
class thread_delays {
 public:
  /// New chains for all threads.
  static void begin();

  /// The calling thread's next delay, of about 0.1 us, as long as EPCC's by default; the first one
  /// after `begin` takes a lock. Any thread.
  static void delay();

  /// Throws wrong_result unless as many threads have made `delays` delays each, and no others any.
  static void require(std::size_t threads, std::uint64_t delays);
};

}  // namespace fg::bench
