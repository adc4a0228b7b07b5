#include "checker/memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace model {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10U;
constexpr std::size_t kHeapBytes = std::size_t{768} << 10U;
constexpr std::size_t kThreadBytes = kStackBytes + kHeapBytes;
constexpr std::size_t kBytes = kMaxThreads * kThreadBytes;
// Ahead of each block: its size.
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

// Numbers of events, plus one, so that none is zero.
struct memory::cell {
  std::uint32_t execution;
  std::uint16_t location;
  bool freed;
  std::array<std::array<std::uint16_t, kMaxThreads>, 4> last;  // by kind of access
};

memory::memory()
    : base_{static_cast<std::byte*>(map(kBytes))},
      cells_{static_cast<cell*>(map(kBytes * sizeof(cell)))} {}

memory::~memory() {
  munmap(base_, kBytes);
  munmap(cells_, kBytes * sizeof(cell));
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

memory::cell& memory::cell_of(const void* address) noexcept {
  cell& found = cells_[static_cast<const std::byte*>(address) - base_];
  if (found.execution != execution_) {
    found = {};
    found.execution = execution_;
  }
  return found;
}

std::uint16_t& memory::location(const void* address) noexcept { return cell_of(address).location; }

const char* memory::note(const void* address, std::size_t bytes, access how, std::size_t thread,
                         const clock& known) noexcept {
  // Which earlier accesses of others have to be known: those that it conflicts with.
  constexpr bool kConflicts[4][4]{{false, true, false, true},   // a read with writes of any kind
                                  {true, true, true, true},     // a write with all
                                  {false, true, false, false},  // an atomic read with plain writes
                                  {true, true, false, false}};  // an atomic write with plain ones
  for (std::size_t i = 0; i < bytes; ++i) {
    cell& each = cell_of(static_cast<const std::byte*>(address) + i);
    if (each.freed) {
      return "use of memory that was freed";
    }
    for (std::size_t other = 0; other < kMaxThreads; ++other) {
      for (std::size_t kind = 0; other != thread && kind < 4; ++kind) {
        // An access behind event n - 1 of its thread is known to who knows event n.
        if (kConflicts[static_cast<std::size_t>(how)][kind] && each.last[kind][other] != 0 &&
            known.of(other) < each.last[kind][other]) {
          return "data race";
        }
      }
    }
    each.last[static_cast<std::size_t>(how)][thread] =
        static_cast<std::uint16_t>(known.of(thread) + 1);
  }
  return nullptr;
}

const char* memory::free(void* block, std::size_t thread, const clock& known) noexcept {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<std::byte*>(block) - sizeof bytes, sizeof bytes);
  const char* const wrong = note(block, bytes, access::write, thread, known);
  for (std::size_t i = 0; i < bytes; ++i) {
    cell_of(static_cast<std::byte*>(block) + i).freed = true;
  }
  --blocks_;
  return wrong;
}

}  // namespace model
