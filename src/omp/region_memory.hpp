// Remembers which parallel regions create tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// Hash table, keyed by code address, of the parallel regions that have never created a task. The
/// threads of such a region skip our barrier at its end, since the runtime below has one there
/// anyway. A region that is not remembered is assumed to create tasks; so is one that shares its
/// entry with another. If a remembered region creates tasks after all, the threads that are still
/// in it run them.
///
/// Any thread. Relaxed throughout: the program is correct whatever is read.
class region_memory {
 public:
  [[nodiscard]] bool expects_tasks(const void* code) const noexcept {
    return entry_of(code).load(memory_order_relaxed) != without_tasks(code);
  }

  void remember(const void* code, bool made_tasks) noexcept {
    atomic<std::uintptr_t>& entry = entry_of(code);
    const std::uintptr_t known = entry.load(memory_order_relaxed);
    const std::uintptr_t now = made_tasks ? with_tasks(code) : without_tasks(code);
    // A region that has created tasks is expected to do so again, always.
    if (known != now && known != with_tasks(code)) {
      entry.store(now, memory_order_relaxed);
    }
  }

  static region_memory& instance() noexcept {
    static constinit region_memory regions;
    return regions;
  }

 private:
  static constexpr std::size_t kEntries = 1024;

  // An address is doubled, so that its lowest bit is free.
  static std::uintptr_t without_tasks(const void* code) noexcept {
    return reinterpret_cast<std::uintptr_t>(code) * 2 + 1;
  }
  static std::uintptr_t with_tasks(const void* code) noexcept {
    return reinterpret_cast<std::uintptr_t>(code) * 2;
  }
  static std::size_t index_of(const void* code) noexcept {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 54U);  // 1024 entries
  }
  atomic<std::uintptr_t>& entry_of(const void* code) noexcept { return entries_[index_of(code)]; }
  [[nodiscard]] const atomic<std::uintptr_t>& entry_of(const void* code) const noexcept {
    return entries_[index_of(code)];
  }

  std::array<atomic<std::uintptr_t>, kEntries> entries_{};
};

}  // namespace fg::omp
