// Regions of 8 to 70 threads, whatever OMP_NUM_THREADS says, which grow and shrink from one to the
// next: what goes down to all of them and comes up from them. Our own form a tree from 9 on.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "many_cpus.h"

enum { kMost = 70, kBarriers = 3 };

static const int sizes[] = {9, 2, 17, 64, 8, 33, 70, 1, 16};

static int written[kMost][kBarriers + 1];

// A sum that compiled code cannot combine atomically.
struct pair {
  long count, sum;
};
#pragma omp declare reduction(both : struct pair : omp_out.count += omp_in.count, \
                                  omp_out.sum += omp_in.sum)                      \
    initializer(omp_priv = (struct pair){0, 0})

// Threads write before each barrier and see after it what all have written.
static void meet(int size) {
  memset(written, 0, sizeof written);
#pragma omp parallel num_threads(size)
  {
    const int own = omp_get_thread_num();
    CHECK_EQUAL(size, omp_get_num_threads());
    for (int i = 0; i < kBarriers; ++i) {
      written[own][i] = i + 1;
#pragma omp barrier
      for (int each = 0; each < size; ++each) CHECK_EQUAL(i + 1, written[each][i]);
    }
    written[own][kBarriers] = own;
  }
  for (int each = 0; each < size; ++each) CHECK_EQUAL(each, written[each][kBarriers]);
}

static void choose_one(int size) {
  int chosen = 0, after = 0;
#pragma omp parallel num_threads(size) shared(chosen, after)
  for (int i = 0; i < 4; ++i) {
    int copied = 0;
#pragma omp single copyprivate(copied)
    {
      chosen += 1;
      copied = chosen;
    }
    CHECK_EQUAL(i + 1, copied);
#pragma omp barrier
    add(&after, copied);
  }
  CHECK_EQUAL(4, chosen);
  CHECK_EQUAL(10 * size, after);
}

static void reduce(int size) {
  long sum = 1000, product = 1;
  struct pair pairs = {0, 0};
#pragma omp parallel for num_threads(size) reduction(+ : sum) reduction(both : pairs)
  for (int i = 0; i < 1000; ++i) {
    sum += i;
    pairs.count += 1;
    pairs.sum += i;
  }
  CHECK_EQUAL(1000 + 499500, sum);
  CHECK_EQUAL(1000, pairs.count);
  CHECK_EQUAL(499500, pairs.sum);
  sum = 0;
#pragma omp parallel num_threads(size) shared(sum, product, pairs)
  for (int i = 1; i <= 3; ++i) {
#pragma omp for reduction(+ : sum) reduction(both : pairs)
    for (int k = 0; k < 500; ++k) {
      sum += k;
      pairs.count += 1;
    }
    CHECK_EQUAL(i * 124750, sum);  // the value is there after the construct
    CHECK_EQUAL(1000 + i * 500, pairs.count);
#pragma omp barrier
#pragma omp for reduction(* : product) nowait
    for (int k = 0; k < 2; ++k) product *= 2;
#pragma omp barrier
    CHECK_EQUAL(1L << (2 * i), product);
#pragma omp barrier
  }
}

// Those that wait in barriers run the tasks, also such as create others.
static void share_tasks(int size) {
  int done = 0, later = 0;
#pragma omp parallel num_threads(size) shared(done, later)
  {
#pragma omp barrier
    if (omp_get_thread_num() == size - 1) {
      for (int i = 0; i < 50; ++i) {
#pragma omp task shared(done)
        {
#pragma omp task shared(done)
          add(&done, 1);
          add(&done, 1);
        }
      }
    }
#pragma omp barrier
    CHECK_EQUAL(100, value_of(&done));
    if (omp_get_thread_num() % 4 == 0) {
#pragma omp task shared(later)
      add(&later, 1);
    }
#pragma omp barrier
    CHECK_EQUAL((size + 3) / 4, value_of(&later));
  }
}

// Each of nine threads opens a region of nine.
static void nest(void) {
  int members = 0, after = 0;
#pragma omp parallel num_threads(9) shared(members, after)
  {
#pragma omp parallel num_threads(9) shared(members, after)
    {
      add(&members, 1);
#pragma omp barrier
#pragma omp task shared(after)
      add(&after, 1);
    }
#pragma omp barrier
    CHECK_EQUAL(81, value_of(&after));
  }
  CHECK_EQUAL(81, members);
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);  // on few CPUs each waits for its turn
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    meet(sizes[s]);
    choose_one(sizes[s]);
    reduce(sizes[s]);
    share_tasks(sizes[s]);
  }
  nest();
  return ok();
}
