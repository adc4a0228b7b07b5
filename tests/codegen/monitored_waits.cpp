// The wait policies that need a processor with WAITPKG or MONITORX.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/wait.hpp"

// NOLINTBEGIN(misc-use-internal-linkage): so that the compiler keeps them
namespace fg::test {

void wait_with_umwait(const atomic<int>& word) {
  umwait::relax(&word, [&word] { return word.load(memory_order_acquire) != 0; });
}

void wait_with_mwaitx(const atomic<int>& word) {
  mwaitx::relax(&word, [&word] { return word.load(memory_order_acquire) != 0; });
}

}  // namespace fg::test
// NOLINTEND(misc-use-internal-linkage)
