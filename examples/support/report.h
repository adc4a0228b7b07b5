/* The arguments of an example, and the report of its gain, for C and C++ alike. */
#ifndef EXAMPLES_REPORT_H
#define EXAMPLES_REPORT_H

#include <stdio.h>
#include <stdlib.h>

/* The number of pairs to measure: the program's only argument, or `usual` without one. */
static inline int pairs_wanted(int count, char** arguments, int usual) {
  const int asked = count > 1 ? atoi(arguments[1]) : usual;
  if (count > 2 || asked < 1) {
    fprintf(stderr, "usage: %s [pairs to measure]\n", arguments[0]);
    exit(2);
  }
  return asked;
}

/* The k for which the k-th smallest and the k-th largest of `count` values contain the true
 * median with 95 % confidence, for any distribution: fewer than k of as many coin tosses come up
 * heads with a probability of 2.5 %. 0 for fewer than six values: there is none. */
static inline int median_bound(int count) {
  const double n = count;
  /* Of k heads, and of fewer, over that of count / 2 heads: 2^-count may be too small a number. */
  double chance = 1;
  double below = 0;
  double all = 0;
  int k = 0;
  for (k = count / 2; k >= 0; --k) {
    below += chance;
    all += chance * (2 * k < count ? 2 : 1);
    chance *= k / (n - k + 1);
  }
  chance = 1;
  for (k = count / 2 + 1; below > 0.025 * all; --k) {
    below -= chance;
    chance *= (k - 1) / (n - k + 2);
  }
  return k;
}

/* Prints the median of ratios of times, plain over ours, in ascending order: above 1 ours is
 * faster. And the interval that contains the true median with 95 % confidence. */
static inline void print_gain(const char* what, const double* ratios, int count) {
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

#endif
