// A run allocates nothing: counts every allocation while it lasts, by any function.
//
// Sanitizers have their own allocator, which this must not replace; with them the test is absent.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>  // Any header of the C library defines whether it is glibc.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define FINEGRAIN_TEST_SANITIZED_HEAP
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FINEGRAIN_TEST_SANITIZED_HEAP
#endif

#if defined(__GLIBC__) && !defined(FINEGRAIN_TEST_SANITIZED_HEAP)

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace {

// Not atomic: the tests have one thread.
std::size_t g_num_heap_calls = 0;

}  // namespace

extern "C" {
// glibc's own allocator, under the names that it reserves for such wrappers.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): glibc chose the names.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

void* malloc(std::size_t size) noexcept {
  ++g_num_heap_calls;
  return __libc_malloc(size);
}

void* calloc(std::size_t nmemb, std::size_t size) noexcept {
  ++g_num_heap_calls;
  return __libc_calloc(nmemb, size);
}

void* realloc(void* ptr, std::size_t size) noexcept {
  ++g_num_heap_calls;
  return __libc_realloc(ptr, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++g_num_heap_calls;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memptr, std::size_t alignment, std::size_t size) noexcept {
  ++g_num_heap_calls;
  *memptr = __libc_memalign(alignment, size);
  return *memptr == nullptr ? ENOMEM : 0;
}

void free(void* ptr) noexcept {
  if (ptr != nullptr) {
    ++g_num_heap_calls;
  }
  __libc_free(ptr);
}
}

// The operators too, in case a library's version allocates in another way.
void* operator new(std::size_t size) {
  if (void* const memory = malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  // The requested size, unlike libstdc++'s: so the test of isolated_array sees its own.
  if (void* const memory = aligned_alloc(static_cast<std::size_t>(alignment), size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free(memory); }

namespace fg::bench {
namespace {

template <typename Action>
std::size_t count_heap_calls(Action action) {
  const std::size_t before = g_num_heap_calls;
  action();
  return g_num_heap_calls - before;
}

TEST(no_allocation, the_count_sees_every_way) {
  // Through pointers that the compiler must reload; otherwise it may remove pairs of calls.
  void* volatile memory = nullptr;
  EXPECT_EQ(count_heap_calls([&] { memory = std::malloc(10); }), 1U);
  void* volatile larger = nullptr;
  EXPECT_EQ(count_heap_calls([&] { larger = std::realloc(memory, 100); }), 1U);
  EXPECT_EQ(count_heap_calls([&] { std::free(larger); }), 1U);
  EXPECT_EQ(count_heap_calls([&] { memory = std::calloc(1, 10); }), 1U);
  std::free(memory);
  EXPECT_EQ(count_heap_calls([&] { memory = std::aligned_alloc(128, 128); }), 1U);
  std::free(memory);
  EXPECT_EQ(count_heap_calls([&] { memory = ::operator new(10); }), 1U);
  EXPECT_EQ(count_heap_calls([&] { ::operator delete(memory); }), 1U);
  EXPECT_EQ(count_heap_calls([&] { memory = ::operator new(10, std::align_val_t{128}); }), 1U);
  EXPECT_EQ(count_heap_calls([&] { ::operator delete(memory, std::align_val_t{128}); }), 1U);
}

TEST(no_allocation, no_run_of_any_kernel) {
  std::vector<std::string> names(paper_kernels().begin(), paper_kernels().end());
  names.insert(names.end(), {"spin-100ns", "spin-10us"});
  for (const std::string& name : names) {
    const auto kernel = make_kernel(name, {.spin_steps_per_us = 1000.0});
    // Enough runs that a memory pool that is not reset outgrows its buffer.
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(count_heap_calls([&] { kernel->run(); }), 0U) << name << ", run " << i;
    }
    EXPECT_EQ(kernel->check(), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace fg::bench

#endif
