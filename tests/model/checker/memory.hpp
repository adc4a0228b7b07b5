// The memory of a scenario, and which threads may access it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "checker/event.hpp"

namespace model {

/// A part of the address space with a stack and a heap for each thread, the same in each execution,
/// so that addresses are a function of what a thread has done. Memory is not reused within an
/// execution.
///
/// For each byte it records the last accesses of each thread, and with the given clocks it finds
/// each pair that is unordered by happens-before and of which one is not atomic: data races, use
/// after free, and objects used before their construction is known.
class memory {
 public:
  memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory();

  /// Clears everything.
  void start_over();

  [[nodiscard]] bool contains(const void* address) const noexcept;

  struct span {
    void* begin;
    std::size_t bytes;
  };
  [[nodiscard]] span stack(std::size_t thread) const noexcept;

  void* allocate(std::size_t thread, std::size_t bytes, std::size_t alignment);
  /// The same for the rest of the execution.
  void* allocate_for_good(std::size_t thread, std::size_t bytes, std::size_t alignment);
  /// Blocks that were allocated and not freed.
  [[nodiscard]] std::ptrdiff_t blocks() const noexcept { return blocks_; }

  enum class access : std::uint8_t { read, write, atomic_read, atomic_write };

  /// Records an access of a thread that has seen `known` and done `known.of(thread)` events.
  /// Returns null, or what is wrong with it.
  const char* note(const void* address, std::size_t bytes, access how, std::size_t thread,
                   const clock& known) noexcept;
  /// Like `note` of a write to the whole block, which no thread may access from now on.
  const char* free(void* block, std::size_t thread, const clock& known) noexcept;

  /// The number plus one of the atomic object at an address; 0: none.
  [[nodiscard]] std::uint16_t& location(const void* address) noexcept;

 private:
  struct history;
  struct granule;
  struct object;

  template <class T>
  [[nodiscard]] T& current(T& remembered) const noexcept;
  template <class Use>
  const char* for_each_history(const void* address, std::size_t bytes, Use use) noexcept;
  template <access How>
  const char* note_bytes(const void* address, std::size_t bytes, std::size_t thread,
                         const clock& known) noexcept;

  std::byte* base_;
  granule* granules_;
  history* bytes_;
  object* objects_;
  std::uint32_t execution_ = 0;
  std::array<std::size_t, kMaxThreads> heap_used_{};
  std::ptrdiff_t blocks_ = 0;
};

}  // namespace model
