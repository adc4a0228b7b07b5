/* two_branches.cpp in C. */
#include <finegrain/finegrain.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNumbers = 2000 };

typedef struct part {
  const long* numbers;
  size_t size;
} part;

static void sum(const void* arguments, void* result) {
  const part* const self = arguments;
  long sum = 0;
  for (size_t i = 0; i < self->size; ++i) {
    sum += self->numbers[i];
  }
  *(long*)result = sum;
}

int main(void) {
  long data[kNumbers];
  for (size_t i = 0; i < kNumbers; ++i) {
    data[i] = 1;
  }
  fg_relic* relic = NULL; /* one assistant thread beside this one */
  if (fg_relic_create(NULL, &relic) != FG_OK) {
    fprintf(stderr, "two_branches_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  const part left = {data, kNumbers / 2};
  const part right = {data + kNumbers / 2, kNumbers / 2};
  long sums[2];
  fg_relic_submit_values(relic, sum, &left, sizeof left, &sums[0], sizeof sums[0]);
  sum(&right, &sums[1]); /* meanwhile, here */
  fg_relic_wait(relic);
  fg_relic_destroy(relic);
  printf("%ld\n", sums[0] + sums[1]);
  return EXIT_SUCCESS;
}
