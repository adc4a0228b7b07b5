// The standard library's steady clock, as simulated time: its symbol comes before that of the shared
// library, so our headers run unmodified.
// SPDX-License-Identifier: Apache-2.0
#include <simgrid/engine.h>

#include <chrono>

namespace std::chrono {  // NOLINT(bugprone-std-namespace-modification): see above

steady_clock::time_point steady_clock::now() noexcept {
  return time_point{duration_cast<duration>(std::chrono::duration<double>{simgrid_get_clock()})};
}

}  // namespace std::chrono
