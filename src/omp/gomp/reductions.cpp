// GNU's entry points for task reductions. Compiled code initializes and combines the copies; the
// runtime allocates their memory and finds them.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::gomp {
namespace {

// Words of a reduction array.
enum : std::size_t {
  kVariables = 0,
  kBytes = 1,
  kMemory = 2,  // first holds the alignment
  kNext = 4,
  kTable = 5,  // GNU's runtime keeps its hash table here, in the first array of a clause
  kEnd = 6,
  kFirst = 7
};
constexpr std::size_t kWords = 3;  // per variable

// Stored in place of the table: the memory is ours, and the clause begins with this array.
constexpr std::uintptr_t kOurs = 1;

struct allocation {
  std::size_t alignment;
};

// Allocates the memory of one array, zeroed: zeros tell compiled code that a copy is not
// initialized yet. The alignment, which the deallocation needs, precedes it.
void allocate(reduction_array d, std::size_t threads) {
  const std::size_t alignment =
      d[kMemory] > alignof(std::max_align_t) ? d[kMemory] : alignof(std::max_align_t);
  const std::size_t bytes = d[kBytes] * threads;
  auto* const block =
      static_cast<std::byte*>(::operator new(alignment + bytes, std::align_val_t{alignment}));
  ::new (block + alignment - sizeof(allocation)) allocation{alignment};
  std::memset(block + alignment, 0, bytes);
  d[kMemory] = reinterpret_cast<std::uintptr_t>(block + alignment);
  d[kEnd] = d[kMemory] + bytes;
}

void release(reduction_array d) noexcept {
  auto* const memory = static_cast<std::byte*>(pointer_of(d[kMemory]));
  const std::size_t alignment =
      reinterpret_cast<const allocation*>(memory - sizeof(allocation))->alignment;
  ::operator delete(memory - alignment, std::align_val_t{alignment});
}

reduction_array next_of(reduction_array d) noexcept {
  return static_cast<reduction_array>(pointer_of(d[kNext]));
}

// A variable found: its array, its offset in a thread's part, and its original.
struct found_variable {
  reduction_array in;
  std::uintptr_t offset;
  std::uintptr_t original;
};

// `address`: of the variable, or of any thread's copy of it.
bool find_in(reduction_array d, std::uintptr_t address, found_variable& found) noexcept {
  const bool is_copy = address >= d[kMemory] && address < d[kEnd];
  for (std::size_t i = 0; i < d[kVariables]; ++i) {
    const std::uintptr_t original = d[kFirst + i * kWords];
    const std::uintptr_t offset = d[kFirst + i * kWords + 1];
    if (address == original || (is_copy && (address - d[kMemory]) % d[kBytes] == offset)) {
      found = {.in = d, .offset = offset, .original = original};
      return true;
    }
  }
  if (is_copy) {  // of a variable whose original no later clause asks for
    found = {.in = d, .offset = (address - d[kMemory]) % d[kBytes], .original = 0};
  }
  return is_copy;
}

bool find(reduction_array first, std::uintptr_t address, found_variable& found) noexcept {
  for (reduction_array d = first; d != nullptr; d = next_of(d)) {
    if (find_in(d, address, found)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void allocate_reductions(reduction_array data, const std::uintptr_t* around,
                         std::size_t threads) noexcept {
  try {
    for (reduction_array d = data;; d = next_of(d)) {
      allocate(d, threads);
      d[kTable] = 0;
      if (d[kNext] == 0) {
        d[kNext] = reinterpret_cast<std::uintptr_t>(around);
        break;
      }
    }
  } catch (const std::bad_alloc&) {
    end_without_memory("a reduction");
  }
  data[kTable] = kOurs;
}

void enter_reductions(thread& self, reduction_array data) noexcept {
  taskgroup& group = *self.running->group;
  allocate_reductions(data, group.arrays, self.inner->size);
  group.arrays = data;
}

void enter_shared_reductions(thread& self, reduction_array data, atomic<void*>* first) noexcept {
  static std::mutex making;
  const std::lock_guard hold{making};
  // Relaxed: the lock orders it.
  auto* from =
      first != nullptr ? static_cast<reduction_array>(first->load(memory_order_relaxed)) : nullptr;
  if (from == nullptr) {
    enter_reductions(self, data);
    if (first != nullptr) {
      first->store(data, memory_order_relaxed);  // relaxed: see above
    }
    return;
  }
  taskgroup& group = *self.running->group;
  for (reduction_array d = data;; d = next_of(d), from = next_of(from)) {
    d[kMemory] = from[kMemory];
    d[kTable] = from[kTable];
    d[kEnd] = from[kEnd];
    if (d[kNext] == 0) {
      d[kNext] = reinterpret_cast<std::uintptr_t>(group.arrays);
      break;
    }
  }
  group.arrays = data;
}

void free_reductions(reduction_array data) noexcept {
  reduction_array d = data;
  do {
    release(d);
    d = next_of(d);
  } while (d != nullptr && d[kTable] == 0);
}

// Emitted after GOMP_taskgroup_start for task_reduction; returns after writing the memory's address
// to the arrays.
FINEGRAIN_OMP_ENTRY void GOMP_taskgroup_reduction_register(reduction_array data) {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskgroup_reduction_register)(data);
  }
  enter_reductions(thread::here(), data);
}

// Emitted after compiled code has combined the copies of a taskgroup or a region; returns after
// freeing their memory.
FINEGRAIN_OMP_ENTRY void GOMP_taskgroup_reduction_unregister(reduction_array data) {
  if (is_not_ours() || data[kTable] != kOurs) {
    return FINEGRAIN_OMP_NEXT(GOMP_taskgroup_reduction_unregister)(data);
  }
  free_reductions(data);
}

// Emitted at the beginning of a task with in_reduction; returns after replacing each variable's
// address by that of the thread's copy, and appending the originals of the first ones.
FINEGRAIN_OMP_ENTRY void GOMP_task_reduction_remap(std::size_t count, std::size_t with_original,
                                                   void** variables) {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_task_reduction_remap)(count, with_original, variables);
  }
  const thread& self = thread::here();
  const taskgroup* const group = self.running->group;
  for (std::size_t i = 0; i < count; ++i) {
    found_variable found{};
    if (group == nullptr ||
        !find(group->arrays, reinterpret_cast<std::uintptr_t>(variables[i]), found)) {
      std::fprintf(stderr, "finegrain-omp: no task_reduction belongs to the in_reduction of %p\n",
                   variables[i]);
      std::abort();
    }
    variables[i] =
        pointer_of(found.in[kMemory] + self.inner->number * found.in[kBytes] + found.offset);
    if (i < with_original) {
      variables[count + i] = pointer_of(found.original);
    }
  }
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
