// Threads that run one at a time, and only when told to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <csetjmp>
#include <cstddef>

namespace virtual_threads {

/// A stack and a function that runs on it. The system's thread stays the same; the function may be
/// abandoned in the middle.
class fiber {
 public:
  fiber() = default;
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// The next `resume` calls `body(argument)` on this stack. `body` never returns.
  void prepare(void* stack, std::size_t bytes, void (*body)(void*), void* argument);

  /// Continues in the fiber until it calls `suspend`. Not from a fiber.
  void resume();
  /// Returns to the caller of `resume`. From this fiber only.
  void suspend();

 private:
  static void enter(unsigned high, unsigned low);
  void swap_exceptions();

  ucontext_t start_{};
  std::jmp_buf inside_{};
  std::jmp_buf outside_{};
  bool started_ = false;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::array<void*, 2> exceptions_{};  // the caught ones, and a count: per thread in the language
};

}  // namespace virtual_threads
