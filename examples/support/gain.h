/* gain.hpp in C: measures the gain of an example, alternating between two ways of doing the
 * same. Needs _POSIX_C_SOURCE for its clock. */
#ifndef EXAMPLES_GAIN_H
#define EXAMPLES_GAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/report.h"

typedef void (*gain_work)(void* arguments);

/* The duration of `work` in seconds. */
static inline double gain_seconds(gain_work work, void* arguments) {
  struct timespec start;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  work(arguments);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static inline int gain_compare(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

/* Measures both alternately, each first in every second pair, and prints the gain. */
static inline void gain_measure(const char* what, int pairs, gain_work plain, gain_work ours,
                                void* arguments) {
  double* const ratios = malloc((size_t)pairs * sizeof *ratios);
  if (ratios == NULL) {
    fprintf(stderr, "no memory for %d pairs\n", pairs);
    exit(1);
  }
  plain(arguments); /* warms the caches and touches the pages */
  ours(arguments);
  for (int pair = 0; pair < pairs; ++pair) {
    double plain_seconds = 0;
    double our_seconds = 0;
    if (pair % 2 == 0) {
      plain_seconds = gain_seconds(plain, arguments);
      our_seconds = gain_seconds(ours, arguments);
    } else {
      our_seconds = gain_seconds(ours, arguments);
      plain_seconds = gain_seconds(plain, arguments);
    }
    ratios[pair] = plain_seconds / our_seconds;
  }
  qsort(ratios, (size_t)pairs, sizeof *ratios, gain_compare);
  print_gain(what, ratios, pairs);
  free(ratios);
}

#endif
