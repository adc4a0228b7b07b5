// SPDX-License-Identifier: Apache-2.0
#include "support/failing_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "finegrain/core/atomic.hpp"

namespace {

// All relaxed: they count, and order nothing.
constinit fg::atomic<std::ptrdiff_t> left_until_failure{0};  // 0 and below: none fails
constinit fg::atomic<std::size_t> outstanding{0};

bool fails_now() noexcept {
  return left_until_failure.load(fg::memory_order_relaxed) > 0 &&
         left_until_failure.fetch_sub(1, fg::memory_order_relaxed) == 1;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails_now()) {
    return nullptr;
  }
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;  // for aligned_alloc
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes)
                           : std::aligned_alloc(alignment, whole);
  if (memory != nullptr) {
    outstanding.fetch_add(1, fg::memory_order_relaxed);
  }
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) {
    outstanding.fetch_sub(1, fg::memory_order_relaxed);
    std::free(memory);
  }
}

constexpr std::size_t kUsual = alignof(std::max_align_t);
constexpr std::size_t number(std::align_val_t alignment) {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

// All forms: a sanitizer's own would replace a missing one.
// NOLINTBEGIN(misc-new-delete-overloads,readability-inconsistent-declaration-parameter-name)
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, kUsual); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, kUsual); }
void* operator new(std::size_t bytes, std::align_val_t to) {
  return allocate_or_throw(bytes, number(to));
}
void* operator new[](std::size_t bytes, std::align_val_t to) {
  return allocate_or_throw(bytes, number(to));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kUsual);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kUsual);
}
void* operator new(std::size_t bytes, std::align_val_t to, const std::nothrow_t&) noexcept {
  return allocate(bytes, number(to));
}
void* operator new[](std::size_t bytes, std::align_val_t to, const std::nothrow_t&) noexcept {
  return allocate(bytes, number(to));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
// NOLINTEND(misc-new-delete-overloads,readability-inconsistent-declaration-parameter-name)

namespace fg::test {

failing_new::failing_new(std::size_t nth) noexcept {
  left_until_failure.store(static_cast<std::ptrdiff_t>(nth), memory_order_relaxed);
}
failing_new::~failing_new() { left_until_failure.store(0, memory_order_relaxed); }
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
bool failing_new::happened() noexcept { return left_until_failure.load(memory_order_relaxed) <= 0; }

std::size_t outstanding_allocations() noexcept { return outstanding.load(memory_order_relaxed); }

}  // namespace fg::test
