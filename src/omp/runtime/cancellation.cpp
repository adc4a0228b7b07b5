// The constructs that cancel, and their entry points in both ABIs.
// SPDX-License-Identifier: Apache-2.0
#include "cancellation.hpp"

#include <cstdint>

#include "../constructs.hpp"
#include "../gomp/gomp.hpp"
#include "../settings.hpp"
#include "entry.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

bool is_on() noexcept { return settings::instance().cancels(); }

// What the threads of the running thread's region share; null: there is no other thread, which
// could see that something is cancelled.
cancellation* of_region() noexcept {
  worksharing* const shared = part_of(thread::here()).shared;
  return shared != nullptr ? &shared->cancelling : nullptr;
}

// Each returns whether the running thread leaves the construct.

bool cancel_region() noexcept {
  if (!is_on()) {
    return false;
  }
  if (own_threads* const threads = thread::here().inner->threads) {
    static_cast<hot_team*>(threads)->cancel();
  }
  return true;
}

// A loop, or sections.
bool cancel_loop() noexcept {
  if (!is_on()) {
    return false;
  }
  if (cancellation* const region = of_region()) {
    region->cancel_loop();
  }
  return true;
}

bool cancel_taskgroup() noexcept {
  if (!is_on()) {
    return false;
  }
  taskgroup* group = thread::here().running->group;
  while (group != nullptr && group->is_implicit) {
    group = group->outer;
  }
  // That without an opener is the region's.
  if (group != nullptr && group->opened_by != nullptr) {
    group->cancelled.store(true, memory_order_relaxed);  // a request
  }
  return true;
}

bool is_region_cancelled() noexcept { return is_region_cancelled(part_of(thread::here())); }

bool is_loop_cancelled() noexcept {
  const cancellation* const region = of_region();
  return region != nullptr && region->is_loop_cancelled();
}

// LLVM's numbers of constructs, and GNU's bits.
enum : std::int32_t { kLlvmParallel = 1, kLlvmLoop = 2, kLlvmSections = 3 };
enum : unsigned { kGnuLoop = 2, kGnuSections = 4, kGnuTaskgroup = 8 };

}  // namespace

bool is_region_cancelled(const implicit_part& part) noexcept {
  return part.shared != nullptr && part.shared->cancelling.is_cancelled();
}

std::int32_t cancel(void* /*where*/, std::int32_t /*gtid*/, std::int32_t kind) noexcept {
  if (kind == kLlvmParallel) {
    return cancel_region() ? 1 : 0;
  }
  return (kind == kLlvmLoop || kind == kLlvmSections) && cancel_loop() ? 1 : 0;
}

std::int32_t is_cancelled(void* /*where*/, std::int32_t /*gtid*/, std::int32_t kind) noexcept {
  return is_region_cancelled() ||
                 ((kind == kLlvmLoop || kind == kLlvmSections) && is_loop_cancelled())
             ? 1
             : 0;
}

// Emitted for a cancellation point construct; returns whether the construct is cancelled, which the
// caller then leaves.
FINEGRAIN_OMP_ENTRY bool GOMP_cancellation_point(int which) {
  const auto kind = static_cast<unsigned>(which);
  if ((kind & (kGnuLoop | kGnuSections)) != 0) {
    return is_loop_cancelled();
  }
  return is_region_cancelled() ||
         ((kind & kGnuTaskgroup) != 0 && is_dropped(*thread::here().running));
}

// Emitted for a cancel construct; returns the same. `condition`: its if clause.
FINEGRAIN_OMP_ENTRY bool GOMP_cancel(int which, gomp::boolean condition) {
  if (!condition) {
    return GOMP_cancellation_point(which);
  }
  const auto kind = static_cast<unsigned>(which);
  if ((kind & (kGnuLoop | kGnuSections)) != 0) {
    return cancel_loop();
  }
  return (kind & kGnuTaskgroup) != 0 ? cancel_taskgroup() : cancel_region();
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
