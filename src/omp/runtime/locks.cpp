// OpenMP's lock functions.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "entry.hpp"
#include "lock.hpp"
#include "waiting.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the API's names
namespace fg::omp::runtime {
namespace {

// A lock that its owner may take again: an omp_nest_lock_t, of which GNU's has 16 bytes and LLVM's 8.
// It belongs to a task, as OpenMP says.
class nest_lock {
 public:
  bool try_acquire(const task& by) noexcept {
    const std::uint64_t own = owner_of(by);
    // Relaxed: only the owner's own comparison must be right, and it reads what it wrote. Another
    // task in the block of a former owner comes after the zero that this wrote (task_memory.hpp).
    std::uint64_t seen = word_.load(memory_order_relaxed);
    if ((seen & ~kCount) == own) {
      word_.store(seen + 1, memory_order_relaxed);  // the others only compare the owner
      return true;
    }
    // Acquire: pairs with the release in `release`. Relaxed: nothing is taken.
    seen = 0;
    return word_.compare_exchange_strong(seen, own + 1, memory_order_acquire, memory_order_relaxed);
  }
  void acquire(const task& by) noexcept {
    wait_until([&] { return try_acquire(by); });
  }
  void release() noexcept {
    const std::uint64_t seen = word_.load(memory_order_relaxed);  // the owner's own
    // Release: pairs with the acquire in try_acquire.
    word_.store((seen & kCount) == 1 ? 0 : seen - 1, memory_order_release);
  }
  /// Owner only.
  [[nodiscard]] int count() const noexcept {
    return static_cast<int>(word_.load(memory_order_relaxed) & kCount);
  }

 private:
  static constexpr std::uint64_t kCount = (std::uint64_t{1} << 20U) - 1;

  // Addresses have 48 bits, and tasks are aligned to 16 bytes.
  static std::uint64_t owner_of(const task& by) noexcept {
    static_assert(alignof(task) >= 16);
    return (reinterpret_cast<std::uintptr_t>(&by) >> 4U) << 20U;
  }

  atomic<std::uint64_t> word_{0};  // the owner and how often it has the lock; 0: it is free
};

const task& running() noexcept { return *thread::here().running; }

}  // namespace

// Called by the program. Fortran's names end in an underscore, and its variables hold a lock or,
// where that is larger than they are, a pointer to it.

FINEGRAIN_OMP_ENTRY void omp_init_lock(lock* one) { ::new (one) lock; }
FINEGRAIN_OMP_ENTRY void omp_init_lock_with_hint(lock* one, int /*hint*/) { omp_init_lock(one); }
FINEGRAIN_OMP_ENTRY void omp_destroy_lock(lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void omp_set_lock(lock* one) { one->acquire(); }
FINEGRAIN_OMP_ENTRY void omp_unset_lock(lock* one) { one->release(); }
FINEGRAIN_OMP_ENTRY int omp_test_lock(lock* one) { return one->try_acquire() ? 1 : 0; }

FINEGRAIN_OMP_ENTRY void omp_init_nest_lock(nest_lock* one) { ::new (one) nest_lock; }
FINEGRAIN_OMP_ENTRY void omp_init_nest_lock_with_hint(nest_lock* one, int /*hint*/) {
  omp_init_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY void omp_destroy_nest_lock(nest_lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock(nest_lock* one) { one->acquire(running()); }
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock(nest_lock* one) { one->release(); }
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock(nest_lock* one) {
  return one->try_acquire(running()) ? one->count() : 0;
}

// Part of LLVM's ABI: the same with a source location.
FINEGRAIN_OMP_ENTRY void __kmpc_init_lock(void* /*where*/, int /*gtid*/, lock* one) {
  omp_init_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_init_lock_with_hint(void* /*where*/, int /*gtid*/, lock* one,
                                                    std::uintptr_t /*hint*/) {
  omp_init_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_destroy_lock(void* /*where*/, int /*gtid*/, lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void __kmpc_set_lock(void* /*where*/, int /*gtid*/, lock* one) {
  one->acquire();
}
FINEGRAIN_OMP_ENTRY void __kmpc_unset_lock(void* /*where*/, int /*gtid*/, lock* one) {
  one->release();
}
FINEGRAIN_OMP_ENTRY int __kmpc_test_lock(void* /*where*/, int /*gtid*/, lock* one) {
  return omp_test_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_init_nest_lock(void* /*where*/, int /*gtid*/, nest_lock* one) {
  omp_init_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_init_nest_lock_with_hint(void* /*where*/, int /*gtid*/,
                                                         nest_lock* one, std::uintptr_t /*hint*/) {
  omp_init_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_destroy_nest_lock(void* /*where*/, int /*gtid*/,
                                                  nest_lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void __kmpc_set_nest_lock(void* /*where*/, int /*gtid*/, nest_lock* one) {
  omp_set_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY void __kmpc_unset_nest_lock(void* /*where*/, int /*gtid*/, nest_lock* one) {
  omp_unset_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY int __kmpc_test_nest_lock(void* /*where*/, int /*gtid*/, nest_lock* one) {
  return omp_test_nest_lock(one);
}

FINEGRAIN_OMP_ENTRY void omp_init_lock_(lock* one) { omp_init_lock(one); }
FINEGRAIN_OMP_ENTRY void omp_init_lock_with_hint_(lock* one, const int* /*hint*/) {
  omp_init_lock(one);
}
FINEGRAIN_OMP_ENTRY void omp_destroy_lock_(lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void omp_set_lock_(lock* one) { one->acquire(); }
FINEGRAIN_OMP_ENTRY void omp_unset_lock_(lock* one) { one->release(); }
FINEGRAIN_OMP_ENTRY int omp_test_lock_(lock* one) { return omp_test_lock(one); }

// A variable of Fortran's for a nested lock has eight bytes, as many as ours.
static_assert(sizeof(nest_lock) == sizeof(void*));
FINEGRAIN_OMP_ENTRY void omp_init_nest_lock_(nest_lock* one) { omp_init_nest_lock(one); }
FINEGRAIN_OMP_ENTRY void omp_init_nest_lock_with_hint_(nest_lock* one, const int* /*hint*/) {
  omp_init_nest_lock(one);
}
FINEGRAIN_OMP_ENTRY void omp_destroy_nest_lock_(nest_lock* /*one*/) {}
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock_(nest_lock* one) { omp_set_nest_lock(one); }
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock_(nest_lock* one) { omp_unset_nest_lock(one); }
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock_(nest_lock* one) { return omp_test_nest_lock(one); }

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
