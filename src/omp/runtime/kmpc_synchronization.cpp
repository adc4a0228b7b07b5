// LLVM's entry points for critical, reductions, threadprivate, flush and memory.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "../constructs.hpp"
#include "../kmpc/kmpc.hpp"
#include "../scheduler.hpp"
#include "../settings.hpp"
#include "entry.hpp"
#include "lock.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

using kmpc::ident;

// The beginning of a source location.
struct ident_head {
  std::int32_t reserved;
  std::int32_t flags;
};
constexpr std::int32_t kHasAtomicReduction = 0x10;

// The word of a lock of the program's: zeros before its first use.
lock& lock_at(void* name) noexcept { return *static_cast<lock*>(name); }

// How a thread takes part in a reduction, as the entry points return it.
enum : std::int32_t { kNothing = 0, kCombine = 1, kCombineAtomically = 2 };

// Compiled code combines its values atomically where it can, or the threads do so one after another,
// under the construct's lock.
std::int32_t begin_flat_reduction(implicit_part& part, const ident* where, void* name) noexcept {
  if (part.shared == nullptr) {
    return kCombine;
  }
  if ((reinterpret_cast<const ident_head*>(where)->flags & kHasAtomicReduction) != 0) {
    return kCombineAtomically;
  }
  lock_at(name).acquire();
  part.holds_reduction = true;
  return kCombine;
}

// The calling thread if its region may be wide, else null: most reductions take no more than this for
// wide ones. A thread that has not appeared is in no region.
thread* in_wide_region() noexcept {
  thread* const self = thread::known();
  return self != nullptr && self->inner->size > hot_team::kMostFlat ? self : nullptr;
}

// In wide regions, where that is a long queue for one line, threads combine their values with each
// other's first, on the way to the leader.
[[gnu::noinline]] std::int32_t begin_wide_reduction(const ident* where, void* own,
                                                    void (*combine)(void*, void*), void* name,
                                                    bool meets) noexcept {
  thread& self = thread::here();
  const bool has_atomics =
      (reinterpret_cast<const ident_head*>(where)->flags & kHasAtomicReduction) != 0;
  auto& team = *static_cast<hot_team*>(self.inner->threads);
  if (!team.combines(has_atomics) || own == nullptr || combine == nullptr) {
    return begin_flat_reduction(part_of(self), where, name);
  }
  if (meets) {
    drain(self);
  }
  return team.combine(self, own, combine, meets) ? kCombine : kNothing;
}

std::int32_t begin_reduction(const ident* where, void* own, void (*combine)(void*, void*),
                             void* name, bool meets) noexcept {
  if (in_wide_region() != nullptr) [[unlikely]] {
    return begin_wide_reduction(where, own, combine, name, meets);
  }
  return begin_flat_reduction(part_of(thread::here()), where, name);
}

void end_reduction(implicit_part& part, void* name) noexcept {
  if (std::exchange(part.holds_reduction, false)) {
    lock_at(name).release();
  }
}

// Copies of threadprivate variables, by variable and thread, where the compiler has no thread-local
// storage for them. They live as long as the process.
struct threadprivate_copies {
  std::mutex mutex;
  std::map<std::pair<void*, std::int32_t>, void*> copies;
  std::map<void*, void*> originals;  // as they were at first
};

void* private_copy(void* data, std::int32_t gtid, std::size_t bytes) {
  static auto* const all = new threadprivate_copies;
  const std::lock_guard hold{all->mutex};
  void*& original = all->originals[data];
  if (original == nullptr) {
    original = ::operator new(bytes);
    std::memcpy(original, data, bytes);
  }
  if (gtid == 0) {  // the program's first thread
    return data;
  }
  void*& copy = all->copies[{data, gtid}];
  if (copy == nullptr) {
    copy = ::operator new(bytes);
    std::memcpy(copy, original, bytes);
  }
  return copy;
}

}  // namespace

// Emitted around a critical construct; the first two return when no other thread is in one of this
// name.
FINEGRAIN_OMP_ENTRY void __kmpc_critical(ident* /*where*/, std::int32_t /*gtid*/, void* name) {
  lock_at(name).acquire();
}
FINEGRAIN_OMP_ENTRY void __kmpc_critical_with_hint(ident* /*where*/, std::int32_t /*gtid*/,
                                                   void* name, std::uint32_t /*hint*/) {
  lock_at(name).acquire();
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_critical(ident* /*where*/, std::int32_t /*gtid*/, void* name) {
  lock_at(name).release();
}

// Emitted at the end of a construct with reductions and without nowait; returns 1 to a thread that
// combines the results, 2 to one that does so atomically, 0 to one whose values have been combined.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_reduce(ident* where, std::int32_t /*gtid*/,
                                               std::int32_t /*count*/, std::size_t /*bytes*/,
                                               void* data, void (*combine)(void*, void*),
                                               void* name) {
  return begin_reduction(where, data, combine, name, true);
}
// The same with nowait.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_reduce_nowait(ident* where, std::int32_t /*gtid*/,
                                                      std::int32_t /*count*/, std::size_t /*bytes*/,
                                                      void* data, void (*combine)(void*, void*),
                                                      void* name) {
  return begin_reduction(where, data, combine, name, false);
}

// Emitted after that where it has not returned 0; the first returns when all threads have combined
// their values.
FINEGRAIN_OMP_ENTRY void __kmpc_end_reduce(ident* /*where*/, std::int32_t /*gtid*/, void* name) {
  if (thread* const own = in_wide_region(); own != nullptr) [[unlikely]] {
    auto& team = *static_cast<hot_team*>(own->inner->threads);
    if (own->inner->number == 0 && team.is_combining()) {
      team.end_combining(*own);
      return;
    }
  }
  thread& self = thread::here();
  end_reduction(part_of(self), name);
  barrier(self);
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_reduce_nowait(ident* /*where*/, std::int32_t /*gtid*/,
                                                  void* name) {
  end_reduction(part_of(thread::here()), name);
}

// Emitted for a use of a threadprivate variable without thread-local storage; returns the thread's
// copy. `cache`: the compiler's, not needed.
FINEGRAIN_OMP_ENTRY void* __kmpc_threadprivate_cached(ident* /*where*/, std::int32_t gtid,
                                                      void* data, std::size_t bytes,
                                                      void*** /*cache*/) {
  try {
    return private_copy(data, gtid, bytes);
  } catch (const std::bad_alloc&) {
    end_without_memory("a threadprivate variable");
  }
}
FINEGRAIN_OMP_ENTRY void* __kmpc_threadprivate(ident* where, std::int32_t gtid, void* data,
                                               std::size_t bytes) {
  return __kmpc_threadprivate_cached(where, gtid, data, bytes, nullptr);
}

// Emitted for a flush construct; what was written before is visible before what is read after it.
FINEGRAIN_OMP_ENTRY void __kmpc_flush(ident* /*where*/) {
  atomic_thread_fence(memory_order_seq_cst);  // pairs with other threads' flushes
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
