/* The interval of a median, for the examples in C++ and those in C. */
#ifndef EXAMPLES_MEDIAN_BOUND_H
#define EXAMPLES_MEDIAN_BOUND_H

/* The k for which the k-th smallest and the k-th largest of `count` values hold the true median
 * with 95 %, whatever their distribution: fewer than k of as many tosses of a coin come up heads
 * with 2.5 %. 0, there is none, below six. */
static inline int median_bound(int count) {
  const double n = count;
  double chance = 1; /* of k heads */
  double below = 0;
  int k = 0;
  for (int toss = 0; toss < count; ++toss) {
    chance /= 2;
  }
  while (below + chance <= 0.025) {
    below += chance;
    chance *= (n - k) / (k + 1.0);
    ++k;
  }
  return k;
}

#endif
