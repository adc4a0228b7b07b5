/* coarse_and_fine.cpp in C: coarse tasks travel between cores, fine ones stay inside one. */
#include <finegrain/finegrain.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNumbers = 1000000, kPieces = 1000, kNumbersOfPiece = kNumbers / kPieces };

typedef struct part {
  const int64_t* numbers;
  size_t size;
  int64_t sum;
} part;

static void sum(void* arguments) {
  part* const self = arguments;
  for (size_t i = 0; i < self->size; ++i) {
    self->sum += self->numbers[i];
  }
}

typedef struct work {
  fg_pool* pool;
  const int64_t* numbers;
  int64_t sums[kPieces];
} work;

/* 1000 numbers take about 0.1 us per half: too fine to move to another core. */
static void sum_pieces(void* arguments, size_t begin, size_t end) {
  static FG_THREAD_LOCAL fg_site site;
  work* const self = arguments;
  for (size_t piece = begin; piece < end; ++piece) {
    const int64_t* const numbers = self->numbers + piece * kNumbersOfPiece;
    part low = {numbers, kNumbersOfPiece / 2, 0};
    part high = {numbers + kNumbersOfPiece / 2, kNumbersOfPiece / 2, 0};
    fg_fork_join_fine(self->pool, &site, sum, &low, sum, &high);
    self->sums[piece] = low.sum + high.sum;
  }
}

static void sum_all(void* arguments) {
  fg_parallel_for(0, kPieces, sum_pieces, arguments, FG_LAZY, 0);
}

int main(void) {
  static int64_t numbers[kNumbers];
  static work all;
  for (size_t i = 0; i < kNumbers; ++i) {
    numbers[i] = (int64_t)i;
  }
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.assistants = 1;
  fg_pool* pool = NULL;
  if (fg_pool_create(&options, &pool) != FG_OK) {
    fprintf(stderr, "coarse_and_fine_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  all.pool = pool;
  all.numbers = numbers;
  fg_pool_run(pool, sum_all, &all);
  fg_pool_destroy(pool);
  int64_t total = 0;
  for (size_t piece = 0; piece < kPieces; ++piece) {
    total += all.sums[piece];
  }
  printf("%lld\n", (long long)total);
  return total == 499999500000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
