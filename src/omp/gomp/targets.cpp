// GNU's entry points for target constructs that take part in the graph of tasks. What they depend
// on is waited for, and they run before the call returns, on the runtime below.
#include <cstddef>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::gomp {
namespace {

constexpr unsigned kNowait = 1;

// Runs `real` as a region of one thread, because on a machine without a device it runs the
// construct's body right here.
template <class Real>
void run_target(void* const* depend, Real real) noexcept {
  thread& self = thread::here();
  if (depend != nullptr) {
    wait_for_dependences(self, items_of(self, depend));
  }
  region place;
  frame part;
  self.enter(part, place, 0, 1, self.inner->runtime_id);
  real();
  end_part(self);
  dissolve(place);
}

}  // namespace

FINEGRAIN_OMP_ENTRY void GOMP_target_ext(int device, body routine, std::size_t count,
                                         void** addresses, std::size_t* sizes,
                                         unsigned short* kinds, unsigned flags, void** depend,
                                         void** arguments) {
  const auto real =
      next_function<"GOMP_target_ext", void(int, body, std::size_t, void**, std::size_t*,
                                            unsigned short*, unsigned, void**, void**)>();
  if (is_not_ours()) {
    real(device, routine, count, addresses, sizes, kinds, flags, depend, arguments);
    return;
  }
  run_target(depend, [&] {
    real(device, routine, count, addresses, sizes, kinds, flags & ~kNowait, nullptr, arguments);
  });
}

FINEGRAIN_OMP_ENTRY void GOMP_target_update_ext(int device, std::size_t count, void** addresses,
                                                std::size_t* sizes, unsigned short* kinds,
                                                unsigned flags, void** depend) {
  const auto real =
      next_function<"GOMP_target_update_ext", void(int, std::size_t, void**, std::size_t*,
                                                   unsigned short*, unsigned, void**)>();
  if (is_not_ours()) {
    real(device, count, addresses, sizes, kinds, flags, depend);
    return;
  }
  run_target(depend,
             [&] { real(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr); });
}

FINEGRAIN_OMP_ENTRY void GOMP_target_enter_exit_data(int device, std::size_t count,
                                                     void** addresses, std::size_t* sizes,
                                                     unsigned short* kinds, unsigned flags,
                                                     void** depend) {
  const auto real =
      next_function<"GOMP_target_enter_exit_data", void(int, std::size_t, void**, std::size_t*,
                                                        unsigned short*, unsigned, void**)>();
  if (is_not_ours()) {
    real(device, count, addresses, sizes, kinds, flags, depend);
    return;
  }
  run_target(depend,
             [&] { real(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr); });
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
