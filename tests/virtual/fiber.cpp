// SPDX-License-Identifier: Apache-2.0
#include "virtual/fiber.hpp"

#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace virtual_threads {

void fiber::prepare(void* stack, std::size_t bytes, void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  started_ = false;
  exceptions_ = {};
  getcontext(&start_);
  start_.uc_stack.ss_sp = stack;
  start_.uc_stack.ss_size = bytes;
  start_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&start_, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(self >> 32U),
              static_cast<unsigned>(self));
}

void fiber::enter(unsigned high, unsigned low) {
  // makecontext passes numbers only.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto& self = *reinterpret_cast<fiber*>((std::uintptr_t{high} << 32U) | low);
  self.body_(self.argument_);
  std::abort();
}

// Only the first entry uses setcontext, which makes a system call; later ones use long jumps.
void fiber::resume() {
  swap_exceptions();
  if (_setjmp(outside_) == 0) {
    if (started_) {
      _longjmp(inside_, 1);
    }
    started_ = true;
    setcontext(&start_);
  }
  swap_exceptions();
}

void fiber::suspend() {
  if (_setjmp(inside_) == 0) {
    _longjmp(outside_, 1);
  }
}

// The state of exception handling (Itanium C++ ABI, 2.2.2): two words of the system's thread.
void fiber::swap_exceptions() {
  void** const of_thread = reinterpret_cast<void**>(abi::__cxa_get_globals());
  std::swap(of_thread[0], exceptions_[0]);
  std::swap(of_thread[1], exceptions_[1]);
}

}  // namespace virtual_threads
