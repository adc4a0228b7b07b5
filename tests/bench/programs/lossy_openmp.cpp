// Preloaded between a program and GNU's runtime: loses what FINEGRAIN_TEST_LOSES names, every 50th
// `task`, `region` (which one thread then runs) or `loop` (which nobody runs), or each `barrier`,
// because a thread that skips only one would wait forever at the next. Programs that check their results must notice.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "finegrain/core/atomic.hpp"

namespace {

bool loses(std::string_view kind) {
  const char* const lost = std::getenv("FINEGRAIN_TEST_LOSES");
  return lost != nullptr && kind == lost;
}

bool is_the_50th() {
  static fg::atomic<unsigned> calls{0};
  return (calls.fetch_add(1) + 1) % 50 == 0;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The runtime's names: gcc's manual of libgomp, "The libgomp ABI". The arguments of a task beyond
// the eighth are read only if its flags say so, but are always passed on.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long align,
               bool condition, unsigned flags, void** depend, int priority, void* detach) {
  static const auto real = next<decltype(&GOMP_task)>("GOMP_task");
  if (!(loses("task") && is_the_50th())) {
    real(body, data, copy, size, align, condition, flags, depend, priority, detach);
  }
}

void GOMP_barrier() {
  static const auto real = next<decltype(&GOMP_barrier)>("GOMP_barrier");
  if (!loses("barrier")) {
    real();
  }
}

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  static const auto real = next<decltype(&GOMP_parallel)>("GOMP_parallel");
  if (loses("loop") && is_the_50th()) {
    return;
  }
  if (loses("region") && is_the_50th()) {
    body(data);
  } else {
    real(body, data, threads, flags);
  }
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
