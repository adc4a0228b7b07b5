// An operator new that fails on request. Link failing_new.cpp: it replaces the program's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fg::test {

/// The `nth` allocation after its construction, by any thread, fails once. One object at a time.
class failing_new {
 public:
  explicit failing_new(std::size_t nth) noexcept;
  ~failing_new();
  failing_new(const failing_new&) = delete;
  failing_new& operator=(const failing_new&) = delete;

  /// False: there were fewer than `nth` allocations so far.
  [[nodiscard]] static bool happened() noexcept;
};

/// Blocks allocated by operator new and not freed.
std::size_t outstanding_allocations() noexcept;

}  // namespace fg::test
