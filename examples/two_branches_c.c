/* two_branches.cpp in C. */
#include <finegrain/finegrain.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNumbers = 2000 };

typedef struct part {
  const long* numbers;
  size_t size;
  long sum;
} part;

static void sum(void* arguments) {
  part* const self = arguments;
  self->sum = 0;
  for (size_t i = 0; i < self->size; ++i) {
    self->sum += self->numbers[i];
  }
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
  part left = {data, kNumbers / 2, 0};
  part right = {data + kNumbers / 2, kNumbers / 2, 0};
  fg_relic_submit(relic, sum, &left); /* over there */
  sum(&right);                        /* meanwhile */
  fg_relic_wait(relic);
  fg_relic_destroy(relic);
  printf("%ld\n", left.sum + right.sum);
  return EXIT_SUCCESS;
}
