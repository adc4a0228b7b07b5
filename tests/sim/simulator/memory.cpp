// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

// Set by the linker: the program in memory.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" char __executable_start;
extern "C" char end;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace sim {
namespace {

// Free on every 64-bit Linux, with and without randomised addresses.
constexpr std::uintptr_t kWhere = std::uintptr_t{1} << 44U;

// What a thread's heap takes at once: small blocks of different threads never share a page.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

// Stored before each block.
struct header {
  std::size_t bytes;
  std::size_t alignment;
};
constexpr std::size_t kHeaderBytes = 16;
static_assert(sizeof(header) == kHeaderBytes);

std::uintptr_t map(std::uintptr_t where, std::size_t bytes) {
  const int fixed = where != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* const mapped =
      mmap(reinterpret_cast<void*>(where), bytes, PROT_READ | PROT_WRITE,  // NOLINT: an address
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc{};
  }
  return reinterpret_cast<std::uintptr_t>(mapped);
}

std::uintptr_t rounded_up(std::uintptr_t number, std::size_t to) {
  return (number + to - 1) / to * to;
}

header& header_of(void* block) {
  return *reinterpret_cast<header*>(static_cast<std::byte*>(block) - kHeaderBytes);
}

}  // namespace

memory::memory()
    : base_{map(kWhere, kBytes)},
      statics_{reinterpret_cast<std::uintptr_t>(&__executable_start)},
      static_bytes_{reinterpret_cast<std::uintptr_t>(&end) - statics_},
      next_{base_ + kMaxCores * kStackBytes} {
  const std::size_t lines = (kBytes + rounded_up(static_bytes_, kLineBytes)) / kLineBytes;
  lines_ = reinterpret_cast<line*>(map(0, lines * sizeof(line)));  // NOLINT: zeros are lines
}

memory::~memory() {
  const std::size_t lines = (kBytes + rounded_up(static_bytes_, kLineBytes)) / kLineBytes;
  munmap(lines_, lines * sizeof(line));
  munmap(reinterpret_cast<void*>(base_), kBytes);  // NOLINT: an address
}

std::uintptr_t memory::cut_from_all(std::size_t bytes) {
  const std::uintptr_t begin = next_;
  next_ += rounded_up(bytes, kLineBytes);
  if (next_ > base_ + kBytes) {
    throw std::bad_alloc{};
  }
  return begin;
}

std::uintptr_t memory::cut(thread_heap& heap, block_kind kind) {
  const std::size_t most = kHeaderBytes + kind.alignment + kind.bytes;
  if (most > kPieceBytes / 4) {
    return rounded_up(cut_from_all(most) + kHeaderBytes, kind.alignment);
  }
  if (heap.next + most > heap.end) {
    heap.next = cut_from_all(kPieceBytes);
    heap.end = heap.next + kPieceBytes;
  }
  const std::uintptr_t block = rounded_up(heap.next + kHeaderBytes, kind.alignment);
  heap.next = block + kind.bytes;
  return block;
}

void* memory::allocate(std::size_t thread, std::size_t bytes, std::size_t alignment) {
  const block_kind kind{.bytes = rounded_up(std::max<std::size_t>(bytes, 1), kHeaderBytes),
                        .alignment = std::max(alignment, kHeaderBytes)};
  thread_heap& heap = heaps_[thread];
  std::vector<void*>& free = heap.free[kind];
  void* block = nullptr;
  if (free.empty()) {
    block = reinterpret_cast<void*>(cut(heap, kind));  // NOLINT: an address
    header_of(block) = {.bytes = kind.bytes, .alignment = kind.alignment};
  } else {
    block = free.back();
    free.pop_back();
  }
  bytes_in_use_ += kind.bytes;
  return block;
}

void memory::free(std::size_t thread, void* block) {
  const header& of = header_of(block);
  bytes_in_use_ -= of.bytes;
  heaps_[thread].free[{.bytes = of.bytes, .alignment = of.alignment}].push_back(block);
}

}  // namespace sim
