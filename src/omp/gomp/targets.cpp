// GNU's entry points for target constructs that are part of the task graph. They wait for what they
// depend on and run on the runtime below, before the call returns.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::gomp {
namespace {

constexpr unsigned kNowait = 1;

// Runs `real` as a region of one thread, because on a machine without a device it runs the
// construct's body on this thread.
template <class Real>
void run_target(void* const* depend, Real real) noexcept {
  thread& self = thread::here();
  if (depend != nullptr) {
    wait_for_dependences(self, items_of(self, depend));
  }
  region region;
  frame part;
  self.enter(part, region, 0, 1, self.inner->runtime_id);
  real();
  end_part(self);
  dissolve(region);
}

}  // namespace

// Emitted for a target construct; returns when the device, or the host as a fallback, has run it
// or, with nowait, before that.
FINEGRAIN_OMP_ENTRY void GOMP_target_ext(int device, body routine, std::size_t count,
                                         void** addresses, std::size_t* sizes,
                                         unsigned short* kinds, unsigned flags, void** depend,
                                         void** arguments) {
  const auto real = FINEGRAIN_OMP_NEXT(GOMP_target_ext);
  if (is_not_ours()) {
    return real(device, routine, count, addresses, sizes, kinds, flags, depend, arguments);
  }
  run_target(depend, [&] {
    real(device, routine, count, addresses, sizes, kinds, flags & ~kNowait, nullptr, arguments);
  });
}

// Emitted for a target update construct; returns when the data have been copied or, with nowait,
// before that.
FINEGRAIN_OMP_ENTRY void GOMP_target_update_ext(int device, std::size_t count, void** addresses,
                                                std::size_t* sizes, unsigned short* kinds,
                                                unsigned flags, void** depend) {
  const auto real = FINEGRAIN_OMP_NEXT(GOMP_target_update_ext);
  if (is_not_ours()) {
    return real(device, count, addresses, sizes, kinds, flags, depend);
  }
  run_target(depend,
             [&] { real(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr); });
}

// Emitted for target enter data and target exit data; returns when the data are mapped or unmapped
// or, with nowait, before that.
FINEGRAIN_OMP_ENTRY void GOMP_target_enter_exit_data(int device, std::size_t count,
                                                     void** addresses, std::size_t* sizes,
                                                     unsigned short* kinds, unsigned flags,
                                                     void** depend) {
  const auto real = FINEGRAIN_OMP_NEXT(GOMP_target_enter_exit_data);
  if (is_not_ours()) {
    return real(device, count, addresses, sizes, kinds, flags, depend);
  }
  run_target(depend,
             [&] { real(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr); });
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
