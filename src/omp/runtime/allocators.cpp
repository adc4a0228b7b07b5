// OpenMP's memory: the predefined allocators are all the system's.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "entry.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the API's names
namespace fg::omp::runtime {
namespace {

using allocator = std::uintptr_t;  // omp_allocator_handle_t

constexpr allocator kDefault = 1;  // omp_default_mem_alloc
constinit atomic<allocator> chosen{kDefault};

void* allocate(std::size_t alignment, std::size_t bytes) noexcept {
  void* block = nullptr;
  if (bytes == 0 ||
      posix_memalign(&block, std::max(alignment, alignof(std::max_align_t)), bytes) != 0) {
    return nullptr;
  }
  return block;
}

void* allocate_zeros(std::size_t alignment, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  void* const block =
      __builtin_mul_overflow(count, bytes, &all) ? nullptr : allocate(alignment, all);
  return block != nullptr ? std::memset(block, 0, all) : nullptr;
}

}  // namespace

// Emitted for the allocate directive and clause.
FINEGRAIN_OMP_ENTRY void* __kmpc_alloc(int /*gtid*/, std::size_t bytes, allocator /*from*/) {
  return allocate(0, bytes);
}
FINEGRAIN_OMP_ENTRY void* __kmpc_aligned_alloc(int /*gtid*/, std::size_t alignment,
                                               std::size_t bytes, allocator /*from*/) {
  return allocate(alignment, bytes);
}
FINEGRAIN_OMP_ENTRY void __kmpc_free(int /*gtid*/, void* block, allocator /*from*/) {
  std::free(block);
}
FINEGRAIN_OMP_ENTRY void* GOMP_alloc(std::size_t alignment, std::size_t bytes, allocator /*from*/) {
  return allocate(alignment, bytes);
}
FINEGRAIN_OMP_ENTRY void GOMP_free(void* block, allocator /*from*/) { std::free(block); }

// Called by the program.
FINEGRAIN_OMP_ENTRY void* omp_alloc(std::size_t bytes, allocator /*from*/) {
  return allocate(0, bytes);
}
FINEGRAIN_OMP_ENTRY void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes,
                                            allocator /*from*/) {
  return allocate(alignment, bytes);
}
FINEGRAIN_OMP_ENTRY void* omp_calloc(std::size_t count, std::size_t bytes, allocator /*from*/) {
  return allocate_zeros(0, count, bytes);
}
FINEGRAIN_OMP_ENTRY void* omp_aligned_calloc(std::size_t alignment, std::size_t count,
                                             std::size_t bytes, allocator /*from*/) {
  return allocate_zeros(alignment, count, bytes);
}
FINEGRAIN_OMP_ENTRY void* omp_realloc(void* block, std::size_t bytes, allocator /*to*/,
                                      allocator /*from*/) {
  if (bytes == 0) {
    std::free(block);
    return nullptr;
  }
  return std::realloc(block, bytes);
}
FINEGRAIN_OMP_ENTRY void omp_free(void* block, allocator /*from*/) { std::free(block); }
// Relaxed: a number that orders nothing.
FINEGRAIN_OMP_ENTRY void omp_set_default_allocator(allocator one) {
  chosen.store(one, memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY allocator omp_get_default_allocator() {
  return chosen.load(memory_order_relaxed);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
