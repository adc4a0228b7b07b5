// The functions that the compiler's ThreadSanitizer calls for atomic accesses: the shipped
// core/atomic.hpp and the standard library's atomics arrive here unchanged.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "sim/simulator/simulator.hpp"

namespace {

using sim::simulator;
using access = simulator::access;

// As in <sanitizer/tsan_interface_atomic.h>.
constexpr int kSequentiallyConsistent = 5;

template <class T>
void note(const volatile T* at, access how) {
  if (simulator::current() != nullptr && simulator::current()->is_inside()) {
    simulator::current()->note(const_cast<const T*>(at), sizeof(T), how);
  }
}

template <class T>
T load(const volatile T* at) {
  note(at, access::read);
  return *at;
}

template <class T>
void store(volatile T* at, T value, int order) {
  note(at, order == kSequentiallyConsistent ? access::read_modify_write : access::write);
  *at = value;
}

template <class T, class Update>
T update(volatile T* at, Update next) {
  note(at, access::read_modify_write);
  const T old = *at;
  *at = next(old);
  return old;
}

// Also a failed one takes the line for itself.
template <class T>
T compare_exchange(volatile T* at, T expected, T desired) {
  return update(at, [&](T old) { return old == expected ? desired : old; });
}

void fence(int order) {
  if (order == kSequentiallyConsistent && simulator::current() != nullptr &&
      simulator::current()->is_inside()) {
    simulator::current()->full_fence();
  }
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,cppcoreguidelines-macro-usage)
#define SIM_ATOMICS(bits, type)                                                                   \
  type __tsan_atomic##bits##_load(const volatile type* at, int) { return load(at); }              \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {                    \
    store(at, value, order);                                                                      \
  }                                                                                               \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                       \
    return update(at, [=](type) { return value; });                                               \
  }                                                                                               \
  type __tsan_atomic##bits##_fetch_add(volatile type* at, type more, int) {                       \
    return update(at, [=](type old) { return static_cast<type>(old + more); });                   \
  }                                                                                               \
  type __tsan_atomic##bits##_fetch_sub(volatile type* at, type less, int) {                       \
    return update(at, [=](type old) { return static_cast<type>(old - less); });                   \
  }                                                                                               \
  type __tsan_atomic##bits##_fetch_and(volatile type* at, type mask, int) {                       \
    return update(at, [=](type old) { return static_cast<type>(old & mask); });                   \
  }                                                                                               \
  type __tsan_atomic##bits##_fetch_or(volatile type* at, type mask, int) {                        \
    return update(at, [=](type old) { return static_cast<type>(old | mask); });                   \
  }                                                                                               \
  type __tsan_atomic##bits##_fetch_xor(volatile type* at, type mask, int) {                       \
    return update(at, [=](type old) { return static_cast<type>(old ^ mask); });                   \
  }                                                                                               \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type desired, \
                                                  int, int) {                                     \
    return compare_exchange(at, expected, desired);                                               \
  }

extern "C" {
SIM_ATOMICS(8, std::uint8_t)
SIM_ATOMICS(16, std::uint16_t)
SIM_ATOMICS(32, std::uint32_t)
SIM_ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int order) { fence(order); }
void __tsan_atomic_signal_fence(int /*order*/) {}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,cppcoreguidelines-macro-usage)
