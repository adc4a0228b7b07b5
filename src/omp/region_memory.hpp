// Which regions have made tasks so far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// Remembers by the address of their code which parallel regions have never made a task: their
/// threads need not meet at the end, where the runtime below meets them anyway. A region that is
/// not remembered is taken for one that makes tasks; so is one that shares its place with another.
/// If a region makes tasks for the first time after it did not, the threads that are still there do
/// them.
///
/// Any thread. Relaxed throughout: whatever is read, the program is right.
class region_memory {
 public:
  [[nodiscard]] bool expects_tasks(const void* code) const noexcept {
    return place_of(code).load(memory_order_relaxed) != without_tasks(code);
  }

  void remember(const void* code, bool made_tasks) noexcept {
    atomic<std::uintptr_t>& place = place_of(code);
    const std::uintptr_t known = place.load(memory_order_relaxed);
    const std::uintptr_t now = made_tasks ? with_tasks(code) : without_tasks(code);
    // Once it has made tasks it is expected to for ever.
    if (known != now && known != with_tasks(code)) {
      place.store(now, memory_order_relaxed);
    }
  }

  static region_memory& instance() noexcept {
    static constinit region_memory regions;
    return regions;
  }

 private:
  static constexpr std::size_t kPlaces = 1024;

  // Code is not written at odd addresses that differ by one.
  static std::uintptr_t without_tasks(const void* code) noexcept {
    return reinterpret_cast<std::uintptr_t>(code) * 2 + 1;
  }
  static std::uintptr_t with_tasks(const void* code) noexcept {
    return reinterpret_cast<std::uintptr_t>(code) * 2;
  }
  static std::size_t index_of(const void* code) noexcept {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 54U);  // 1024 places
  }
  atomic<std::uintptr_t>& place_of(const void* code) noexcept { return places_[index_of(code)]; }
  [[nodiscard]] const atomic<std::uintptr_t>& place_of(const void* code) const noexcept {
    return places_[index_of(code)];
  }

  std::array<atomic<std::uintptr_t>, kPlaces> places_{};
};

}  // namespace fg::omp
