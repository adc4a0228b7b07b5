// Shared by the programs about places: the places that they run with, and what a thread is bound to.
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "check.h"

enum { kMostCpus = 1024, kMostPlaces = 8, kMostThreads = 64 };

// The CPUs that the calling thread may use.
__attribute__((unused)) static int own_cpus(int* cpus) {
  cpu_set_t set;
  CHECK_EQUAL(0, sched_getaffinity(0, sizeof set, &set));
  int count = 0;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus[count++] = cpu;
  }
  return count;
}

// Restarts the program once with a variable whose value names the first two CPUs that it may use, or
// the only one twice, and with OMP_PROC_BIND unless `bind` is null. Only once: a runtime may bind the
// program's first thread before main. How many CPUs there were is then in TEST_CPUS.
__attribute__((unused)) static void run_on_two_cpus(const char* name, const char* format,
                                                    const char* bind, char** argv) {
  if (getenv("TEST_CPUS")) return;
  int cpus[kMostCpus];
  char value[200], count[20];
  const int found = own_cpus(cpus);
  const int a = cpus[0], b = found > 1 ? cpus[1] : cpus[0];
  snprintf(value, sizeof value, format, a, b, a, b, a);
  snprintf(count, sizeof count, "%d", found);
  const char* const others[] = {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                "KMP_HW_SUBSET"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) unsetenv(others[i]);
  if (bind) setenv("OMP_PROC_BIND", bind, 1);
  setenv(name, value, 1);
  setenv("TEST_CPUS", count, 1);
  execv("/proc/self/exe", argv);
  perror("execv");
  exit(1);
}

__attribute__((unused)) static int cpus_of_program(void) { return atoi(getenv("TEST_CPUS")); }

// Where a thread says that it is.
struct where {
  int place, first, count;
};

// Of the calling thread, which is really bound to the CPUs of its place.
__attribute__((unused)) static struct where find_own_place(void) {
  int numbers[kMostPlaces];
  struct where own = {omp_get_place_num(), -1, omp_get_partition_num_places()};
  CHECK(own.place >= 0);
  CHECK(own.count >= 1 && own.count <= omp_get_num_places());
  omp_get_partition_place_nums(numbers);
  own.first = numbers[0];
  int is_in = 0;
  for (int i = 0; i < own.count; ++i) is_in |= numbers[i] == own.place;
  CHECK(is_in);
  int ids[kMostCpus], cpus[kMostCpus];
  const int count = omp_get_place_num_procs(own.place);
  CHECK_EQUAL(count, own_cpus(cpus));
  omp_get_place_proc_ids(own.place, ids);
  for (int i = 0; i < count; ++i) CHECK_EQUAL(ids[i], cpus[i]);
  CHECK_EQUAL(cpus_of_program(), omp_get_num_procs());
  return own;
}
