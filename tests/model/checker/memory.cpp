// SPDX-License-Identifier: Apache-2.0
#include "checker/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>

namespace model {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10U;
constexpr std::size_t kHeapBytes = std::size_t{768} << 10U;
constexpr std::size_t kThreadBytes = kStackBytes + kHeapBytes;
constexpr std::size_t kBytes = kMaxThreads * kThreadBytes;
// Stored before each block: its size.
constexpr std::size_t kHeaderBytes = 16;

void* map(std::size_t bytes) {
  void* const where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (where == MAP_FAILED) {
    throw std::bad_alloc{};
  }
  return where;
}

}  // namespace

// A number for each thread; as many as a register of 16 bytes has, and aligned like one: a load
// that takes parts of two recent stores waits for both, which was a third of a model's time.
struct alignas(16) numbers : std::array<std::uint16_t, 8> {};
static_assert(kMaxThreads <= numbers{}.size());

// Numbers of events, plus one, so that none is zero.
struct memory::history {
  std::array<numbers, 4> last;  // by kind of access
  bool freed;
};

// The bytes that most accesses use as a unit.
struct memory::granule {
  static constexpr std::size_t kBytes = 8;

  history whole;
  std::uint32_t execution;
  bool is_split;  // its bytes have histories of their own
};

struct memory::object {
  std::uint32_t execution;
  std::uint16_t location;
};

memory::memory()
    : base_{static_cast<std::byte*>(map(kBytes))},
      granules_{static_cast<granule*>(map(kBytes / granule::kBytes * sizeof(granule)))},
      bytes_{static_cast<history*>(map(kBytes * sizeof(history)))},
      objects_{static_cast<object*>(map(kBytes * sizeof(object)))} {}

memory::~memory() {
  munmap(base_, kBytes);
  munmap(granules_, kBytes / granule::kBytes * sizeof(granule));
  munmap(bytes_, kBytes * sizeof(history));
  munmap(objects_, kBytes * sizeof(object));
}

void memory::start_over() {
  ++execution_;
  heap_used_ = {};
  blocks_ = 0;
}

bool memory::contains(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto begin = reinterpret_cast<std::uintptr_t>(base_);
  return at >= begin && at < begin + kBytes;
}

memory::span memory::stack(std::size_t thread) const noexcept {
  return {base_ + thread * kThreadBytes, kStackBytes};
}

void* memory::allocate(std::size_t thread, std::size_t bytes, std::size_t alignment) {
  void* const block = allocate_for_good(thread, bytes, alignment);
  ++blocks_;
  return block;
}

void* memory::allocate_for_good(std::size_t thread, std::size_t bytes, std::size_t alignment) {
  std::byte* const heap = base_ + thread * kThreadBytes + kStackBytes;
  const std::size_t align = alignment < kHeaderBytes ? kHeaderBytes : alignment;
  std::size_t& used = heap_used_[thread];
  const std::size_t begin = (used + kHeaderBytes + align - 1) / align * align;
  if (begin + bytes > kHeapBytes) {
    throw std::bad_alloc{};
  }
  used = begin + bytes;
  std::memcpy(heap + begin - sizeof bytes, &bytes, sizeof bytes);
  return heap + begin;
}

// Belongs to this execution: the state of an earlier one is dropped.
template <class T>
T& memory::current(T& remembered) const noexcept {
  if (remembered.execution != execution_) {
    remembered = {};
    remembered.execution = execution_;
  }
  return remembered;
}

std::uint16_t& memory::location(const void* address) noexcept {
  return current(objects_[static_cast<const std::byte*>(address) - base_]).location;
}

// Calls `use` with the histories of these bytes until it reports an error.
template <class Use>
const char* memory::for_each_history(const void* address, std::size_t bytes, Use use) noexcept {
  const auto begin = static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  const std::size_t end = begin + bytes;
  const char* wrong = nullptr;
  for (std::size_t at = begin; at < end && wrong == nullptr;) {
    granule& each = current(granules_[at / granule::kBytes]);
    const std::size_t first = at / granule::kBytes * granule::kBytes;
    const std::size_t next = std::min(end, first + granule::kBytes);
    if (!each.is_split && next - at == granule::kBytes) {
      wrong = use(each.whole);
    } else {
      if (!each.is_split) {
        std::fill_n(bytes_ + first, granule::kBytes, each.whole);
        each.is_split = true;
      }
      for (std::size_t i = at; i < next && wrong == nullptr; ++i) {
        wrong = use(bytes_[i]);
      }
    }
    at = next;
  }
  return wrong;
}

template <memory::access How>
const char* memory::note_bytes(const void* address, std::size_t bytes, std::size_t thread,
                               const clock& known) noexcept {
  // The earlier accesses of other threads that must be known: those with which it conflicts.
  constexpr bool kConflicts[4][4]{{false, true, false, true},   // a read with writes of any kind
                                  {true, true, true, true},     // a write with all
                                  {false, true, false, false},  // an atomic read with plain writes
                                  {true, true, false, false}};  // an atomic write with plain ones
  constexpr auto kHow = static_cast<std::size_t>(How);
  // A thread that knows event n knows the accesses after event n - 1 of that thread.
  numbers newest_known;
  newest_known.fill(UINT16_MAX);
  for (std::size_t other = 0; other < kMaxThreads; ++other) {
    newest_known[other] = other == thread ? UINT16_MAX : known.of(other);
  }
  const auto number = static_cast<std::uint16_t>(known.of(thread) + 1);
  return for_each_history(address, bytes, [&](history& each) -> const char* {
    if (each.freed) {
      return "use of memory that was freed";
    }
    numbers unknown{};  // nonzero: a conflict
    for (std::size_t kind = 0; kind < 4; ++kind) {
      for (std::size_t other = 0; kConflicts[kHow][kind] && other < unknown.size(); ++other) {
        unknown[other] |= each.last[kind][other] > newest_known[other];
      }
    }
    if (unknown != numbers{}) {
      return "data race";
    }
    each.last[kHow][thread] = number;
    return nullptr;
  });
}

const char* memory::note(const void* address, std::size_t bytes, access how, std::size_t thread,
                         const clock& known) noexcept {
  switch (how) {
    case access::read:
      return note_bytes<access::read>(address, bytes, thread, known);
    case access::write:
      return note_bytes<access::write>(address, bytes, thread, known);
    case access::atomic_read:
      return note_bytes<access::atomic_read>(address, bytes, thread, known);
    case access::atomic_write:
      return note_bytes<access::atomic_write>(address, bytes, thread, known);
  }
  return "an access of no kind";
}

const char* memory::free(void* block, std::size_t thread, const clock& known) noexcept {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<std::byte*>(block) - sizeof bytes, sizeof bytes);
  const char* const wrong = note(block, bytes, access::write, thread, known);
  for_each_history(block, bytes, [](history& each) -> const char* {
    each.freed = true;
    return nullptr;
  });
  --blocks_;
  return wrong;
}

}  // namespace model
