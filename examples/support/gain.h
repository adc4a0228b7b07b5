/* gain.hpp in C: what an example has gained, both ways of doing the same measured in turns. Wants
 * _POSIX_C_SOURCE for its clock. */
#ifndef EXAMPLES_GAIN_H
#define EXAMPLES_GAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/median_bound.h"

typedef void (*gain_work)(void* arguments);

/* How many pairs to measure: the program's only argument, `usual` without one. */
static inline int gain_pairs_wanted(int count, char** arguments, int usual) {
  const int asked = count > 1 ? atoi(arguments[1]) : usual;
  if (count > 2 || asked < 1) {
    fprintf(stderr, "usage: %s [pairs to measure]\n", arguments[0]);
    exit(2);
  }
  return asked;
}

/* Seconds that `work` takes. */
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

/* Sorts ratios of times, plain over ours, and prints their median and its interval. */
static inline void gain_print(const char* what, double* ratios, int count) {
  qsort(ratios, (size_t)count, sizeof *ratios, gain_compare);
  const double median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
  const int k = median_bound(count);
  if (k == 0) {
    printf("%s: %.3f times as fast (%d pairs, too few for an interval)\n", what, median, count);
    return;
  }
  const double low = ratios[k - 1];
  const double high = ratios[count - k];
  printf("%s: %.3f times as fast (95 %%: %.3f to %.3f, %d pairs)%s\n", what, median, low, high,
         count,
         low > 1    ? ""
         : high < 1 ? ": a loss"
                    : ": no gain is proved");
}

/* Measures both in turns, each first in every second pair, and prints what was gained. */
static inline void gain_measure(const char* what, int pairs, gain_work plain, gain_work ours,
                                void* arguments) {
  double* const ratios = malloc((size_t)pairs * sizeof *ratios);
  if (ratios == NULL) {
    fprintf(stderr, "no memory for %d pairs\n", pairs);
    exit(1);
  }
  plain(arguments); /* caches, first uses of pages */
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
  gain_print(what, ratios, pairs);
  free(ratios);
}

#endif
