// The system's calls by which the shipped headers sleep, wake, fence and initialise static objects:
// the simulator's while a virtual thread runs.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <ctime>

#include "sim/simulator/simulator.hpp"

namespace {

using sim::simulator;

bool is_inside() { return simulator::current() != nullptr && simulator::current()->is_inside(); }

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// As in <linux/futex.h>: without the flags for private words and for the clock.
constexpr long kFutexCommand = 127;
constexpr long kFutexWait = 0;
constexpr long kFutexWake = 1;

long futex(const void* word, long operation, long value, const timespec* limit) {
  if ((operation & kFutexCommand) == kFutexWake) {
    return static_cast<long>(
        simulator::current()->futex_wake(word, static_cast<std::size_t>(value)));
  }
  if ((operation & kFutexCommand) != kFutexWait) {
    errno = ENOSYS;
    return -1;
  }
  const std::uint64_t limit_ns = limit == nullptr ? 0 : nanoseconds(*limit);
  if (!simulator::current()->futex_wait(word, static_cast<std::uint32_t>(value), limit_ns)) {
    errno = limit == nullptr ? EAGAIN : ETIMEDOUT;
    return -1;
  }
  return 0;
}

long of_the_system(long number, const long (&a)[6]) {
  static auto* const call = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,cert-dcl50-cpp)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter)
extern "C" {
long syscall(long number, ...) noexcept {
  long a[6];
  va_list more;
  va_start(more, number);
  for (long& each : a) {
    each = va_arg(more, long);
  }
  va_end(more);
  if (is_inside() && number == SYS_futex) {
    // NOLINTBEGIN(performance-no-int-to-ptr): as the system passes them
    return futex(reinterpret_cast<const void*>(a[0]), a[1], a[2],
                 reinterpret_cast<const timespec*>(a[3]));
    // NOLINTEND(performance-no-int-to-ptr)
  }
  if (is_inside() && number == SYS_membarrier) {
    simulator::current()->heavy_fence();
    return 0;
  }
  return of_the_system(number, a);
}

int nanosleep(const timespec* time, timespec* rest) {
  if (is_inside()) {
    simulator::current()->sleep(nanoseconds(*time));
    return 0;
  }
  return static_cast<int>(syscall(SYS_nanosleep, time, rest));
}

// Around the initialisation of a static object, which only the first thread does (Itanium C++ ABI,
// 3.3.3). The others would block the system's thread, on which it runs.
int __cxa_guard_acquire(std::uint8_t* guard) {
  if (*guard != 0) {
    return 0;
  }
  if (is_inside()) {
    simulator::current()->hold();
  }
  return 1;
}
void __cxa_guard_release(std::uint8_t* guard) {
  *guard = 1;
  if (is_inside()) {
    simulator::current()->let_go();
  }
}
// Registers the destructor of a thread_local object (3.3.6). A virtual thread's is not called: when
// the system's thread would, the simulator's memory is gone.
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  using function = int (*)(void (*)(void*), void*, void*);
  static const auto of_the_system =
      reinterpret_cast<function>(dlsym(RTLD_NEXT, "__cxa_thread_atexit"));
  return is_inside() ? 0 : of_the_system(destroy, object, library);
}
void __cxa_guard_abort(std::uint8_t* /*guard*/) {
  if (is_inside()) {
    simulator::current()->let_go();
  }
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,cert-dcl50-cpp)
