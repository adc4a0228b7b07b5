// Atomic accesses that are not finegrain's: the guards of static objects. One system thread runs
// everything.
// SPDX-License-Identifier: Apache-2.0

// The names that the compiler's ThreadSanitizer knows.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
unsigned char __tsan_atomic8_load(const volatile unsigned char* at, int /*order*/) { return *at; }
unsigned int __tsan_atomic32_load(const volatile unsigned int* at, int /*order*/) { return *at; }
unsigned int __tsan_atomic32_fetch_add(volatile unsigned int* at, unsigned int more,
                                       int /*order*/) {
  const unsigned int old = *at;
  *at = old + more;
  return old;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
