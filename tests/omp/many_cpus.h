// Included by programs of regions that are wide, but not too wide for the machine: it pretends to
// have 128 CPUs. The drop-in asks for them by this name, which has to be exported (-rdynamic).
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifndef _GNU_SOURCE
#error "before the first header: #define _GNU_SOURCE"
#endif
#include <sched.h>
#include <string.h>
#include <sys/types.h>

int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t* set) {
  (void)thread;
  enum { kCpus = 128 };
  memset(set, 0, bytes);
  for (int cpu = 0; cpu < kCpus; ++cpu) CPU_SET_S(cpu, bytes, set);
  return 0;
}
