// OpenMP's memory: the predefined allocators are all the system's; those with traits keep them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "entry.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the API's names
namespace fg::omp::runtime {
namespace {

using handle = std::uintptr_t;  // omp_allocator_handle_t

constexpr handle kNone = 0;     // omp_null_allocator
constexpr handle kDefault = 1;  // omp_default_mem_alloc
constexpr handle kMostPredefined = 1024;

// def-allocator-var, of the process. Relaxed: a number that orders nothing.
atomic<handle>& chosen() noexcept {
  static atomic<handle> one{environment().allocator};
  return one;
}

// omp_alloctrait_t.
struct trait {
  int key;
  std::uintptr_t value;
};
enum : int { kAlignment = 2, kPoolSize = 4, kFallback = 5, kFallbackData = 6 };
// omp_alloctrait_value_t.
enum : std::uintptr_t {
  kUnknown = ~std::uintptr_t{0},  // the default
  kDefaultFallback = 11,
  kNullFallback = 12,
  kAbortFallback = 13,
  kAllocatorFallback = 14
};

// What omp_init_allocator has made. Memory is the system's; the other traits are hints.
struct allocator {
  std::size_t alignment = 1;
  std::size_t pool_bytes = std::numeric_limits<std::size_t>::max();
  std::uintptr_t fallback = kDefaultFallback;
  handle fallback_to = kDefault;
  atomic<std::size_t> used{0};  // relaxed: a number that orders nothing

  bool take(std::size_t bytes) noexcept {
    // Relaxed, as in the exchange, won or lost: it counts bytes; the memory comes from malloc.
    std::size_t seen = used.load(memory_order_relaxed);
    do {
      if (bytes > pool_bytes - seen) {
        return false;
      }
    } while (!used.compare_exchange_weak(seen, seen + bytes, memory_order_relaxed,
                                         memory_order_relaxed));
    return true;
  }
  // Relaxed: the same.
  void give_back(std::size_t bytes) noexcept { used.fetch_sub(bytes, memory_order_relaxed); }
};

// Null for a predefined one.
allocator* made_by(handle from) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the API's handle is an integer
  return from > kMostPredefined ? reinterpret_cast<allocator*>(from) : nullptr;
}

// Before each block. omp_free may be called without the allocator, and omp_realloc needs the size.
struct alignas(std::max_align_t) head {
  void* block;
  std::size_t bytes;
  std::size_t taken;  // from the allocator's pool
  allocator* from;
};

head& head_of(void* memory) noexcept { return static_cast<head*>(memory)[-1]; }

// What a block takes from a pool; the largest number if there is no such block.
std::size_t size_of_block(std::size_t alignment, std::size_t bytes) noexcept {
  std::size_t all = 0;
  const bool is_too_large = __builtin_add_overflow(bytes, alignment, &all) ||
                            __builtin_add_overflow(all, sizeof(head), &all);
  return is_too_large ? std::numeric_limits<std::size_t>::max() : all;
}

void* allocate_plain(std::size_t alignment, std::size_t bytes, allocator* from) noexcept {
  alignment = std::max(alignment, alignof(head));
  const std::size_t all = size_of_block(alignment, bytes);
  void* const block = std::malloc(all);
  if (block == nullptr) {
    return nullptr;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(block) + sizeof(head);
  const std::uintptr_t gap = (alignment - begin % alignment) % alignment;
  char* const memory = static_cast<char*>(block) + sizeof(head) + gap;
  ::new (memory - sizeof(head)) head{.block = block, .bytes = bytes, .taken = all, .from = from};
  return memory;
}

void* allocate(std::size_t alignment, std::size_t bytes, handle wanted) noexcept;

void* fall_back(std::size_t alignment, std::size_t bytes, const allocator& from) noexcept {
  switch (from.fallback) {
    case kNullFallback:
      return nullptr;
    case kAllocatorFallback:
      return allocate(alignment, bytes, from.fallback_to);
    case kAbortFallback:
      std::fprintf(stderr, "finegrain-omp: an allocator with abort_fb has no memory left\n");
      std::abort();
    default:
      return allocate_plain(alignment, bytes, nullptr);
  }
}

void* allocate(std::size_t alignment, std::size_t bytes, handle wanted) noexcept {
  if (bytes == 0) {
    return nullptr;
  }
  allocator* const from = made_by(wanted == kNone ? chosen().load(memory_order_relaxed) : wanted);
  if (from == nullptr) {
    return allocate_plain(alignment, bytes, nullptr);
  }
  alignment = std::max({alignment, from->alignment, alignof(head)});
  const std::size_t all = size_of_block(alignment, bytes);
  if (!from->take(all)) {
    return fall_back(alignment, bytes, *from);
  }
  void* const made = allocate_plain(alignment, bytes, from);
  if (made == nullptr) {
    from->give_back(all);
    return fall_back(alignment, bytes, *from);
  }
  return made;
}

void release(void* memory) noexcept {
  if (memory == nullptr) {
    return;
  }
  const head of = head_of(memory);
  if (of.from != nullptr) {
    of.from->give_back(of.taken);
  }
  std::free(of.block);
}

void* allocate_zeros(std::size_t alignment, std::size_t count, std::size_t bytes,
                     handle from) noexcept {
  std::size_t all = 0;
  void* const made =
      __builtin_mul_overflow(count, bytes, &all) ? nullptr : allocate(alignment, all, from);
  return made != nullptr ? std::memset(made, 0, all) : nullptr;
}

// Memory of the same allocator in place of `of`'s: only the difference is taken from the pool.
void* allocate_instead(head& of, std::size_t bytes) noexcept {
  allocator& from = *of.from;
  const std::size_t alignment = std::max(from.alignment, alignof(head));
  const std::size_t all = size_of_block(alignment, bytes);
  const std::size_t more = all > of.taken ? all - of.taken : 0;
  if (!from.take(more)) {
    return fall_back(alignment, bytes, from);
  }
  void* const made = allocate_plain(alignment, bytes, &from);
  if (made == nullptr) {
    from.give_back(more);
    return fall_back(alignment, bytes, from);
  }
  of.taken -= all - more;  // which is the new memory's now
  return made;
}

// From the allocator that `to` names; without one from that of the memory.
void* reallocate(void* memory, std::size_t bytes, handle to) noexcept {
  if (memory == nullptr) {
    return allocate(0, bytes, to);
  }
  if (bytes == 0) {
    release(memory);
    return nullptr;
  }
  head& of = head_of(memory);
  const bool is_same = of.from != nullptr && (to == kNone || made_by(to) == of.from);
  void* const made =
      is_same ? allocate_instead(of, bytes) : allocate(0, bytes, to == kNone ? kDefault : to);
  if (made != nullptr) {
    std::memcpy(made, memory, std::min(of.bytes, bytes));
    release(memory);
  }
  return made;
}

handle make(int count, const trait* traits) noexcept {
  auto* const made = new (std::nothrow) allocator;
  if (made == nullptr) {
    return kNone;
  }
  for (int i = 0; i < count; ++i) {
    const trait& each = traits[i];
    if (each.value == kUnknown) {
      continue;
    }
    switch (each.key) {
      case kAlignment:
        made->alignment = each.value;
        break;
      case kPoolSize:
        made->pool_bytes = each.value;
        break;
      case kFallback:
        made->fallback = each.value;
        break;
      case kFallbackData:
        made->fallback_to = each.value;
        break;
      default:
        break;
    }
  }
  if (made->alignment == 0 || (made->alignment & (made->alignment - 1)) != 0) {
    delete made;
    return kNone;
  }
  return reinterpret_cast<handle>(made);
}

}  // namespace

// Emitted for the allocate directive and clause, and for uses of allocators on targets.
FINEGRAIN_OMP_ENTRY void* __kmpc_alloc(int /*gtid*/, std::size_t bytes, handle from) {
  return allocate(0, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* __kmpc_aligned_alloc(int /*gtid*/, std::size_t alignment,
                                               std::size_t bytes, handle from) {
  return allocate(alignment, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* __kmpc_calloc(int /*gtid*/, std::size_t count, std::size_t bytes,
                                        handle from) {
  return allocate_zeros(0, count, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* __kmpc_realloc(int /*gtid*/, void* memory, std::size_t bytes, handle to,
                                         handle /*from*/) {
  return reallocate(memory, bytes, to);
}
FINEGRAIN_OMP_ENTRY void __kmpc_free(int /*gtid*/, void* memory, handle /*from*/) {
  release(memory);
}
FINEGRAIN_OMP_ENTRY handle __kmpc_init_allocator(int /*gtid*/, handle /*space*/, int count,
                                                 const trait* traits) {
  return make(count, traits);
}
FINEGRAIN_OMP_ENTRY void __kmpc_destroy_allocator(int /*gtid*/, handle one) { delete made_by(one); }
FINEGRAIN_OMP_ENTRY void __kmpc_set_default_allocator(int /*gtid*/, handle one) {
  chosen().store(one, memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY handle __kmpc_get_default_allocator(int /*gtid*/) {
  return chosen().load(memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY void* GOMP_alloc(std::size_t alignment, std::size_t bytes, handle from) {
  return allocate(alignment, bytes, from);
}
FINEGRAIN_OMP_ENTRY void GOMP_free(void* memory, handle /*from*/) { release(memory); }

// Called by the program.
FINEGRAIN_OMP_ENTRY void* omp_alloc(std::size_t bytes, handle from) {
  return allocate(0, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, handle from) {
  return allocate(alignment, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* omp_calloc(std::size_t count, std::size_t bytes, handle from) {
  return allocate_zeros(0, count, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* omp_aligned_calloc(std::size_t alignment, std::size_t count,
                                             std::size_t bytes, handle from) {
  return allocate_zeros(alignment, count, bytes, from);
}
FINEGRAIN_OMP_ENTRY void* omp_realloc(void* memory, std::size_t bytes, handle to, handle /*from*/) {
  return reallocate(memory, bytes, to);
}
FINEGRAIN_OMP_ENTRY void omp_free(void* memory, handle /*from*/) { release(memory); }

FINEGRAIN_OMP_ENTRY handle omp_init_allocator(handle /*space*/, int count, const trait* traits) {
  return make(count, traits);
}
FINEGRAIN_OMP_ENTRY handle omp_init_allocator_(const handle* /*space*/, const int* count,
                                               const trait* traits) {
  return make(*count, traits);
}
FINEGRAIN_OMP_ENTRY handle omp_init_allocator_8_(const handle* /*space*/, const long long* count,
                                                 const trait* traits) {
  return make(static_cast<int>(*count), traits);
}
FINEGRAIN_OMP_ENTRY void omp_destroy_allocator(handle one) { delete made_by(one); }
FINEGRAIN_OMP_ENTRY void omp_destroy_allocator_(const handle* one) { delete made_by(*one); }

// Relaxed: a number that orders nothing.
FINEGRAIN_OMP_ENTRY void omp_set_default_allocator(handle one) {
  chosen().store(one, memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY void omp_set_default_allocator_(const handle* one) {
  omp_set_default_allocator(*one);
}
FINEGRAIN_OMP_GETTER(handle, omp_get_default_allocator) {
  return chosen().load(memory_order_relaxed);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
