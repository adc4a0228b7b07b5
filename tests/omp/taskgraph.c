// Taskgraphs, by the calls that a compiler newer than clang 19 makes: the first time the program creates
// the tasks, later the runtime does. A runtime without them creates the tasks each time.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRounds = 20, kNoWait = 1, kReset = 4 };

typedef struct ident ident;
int __kmpc_global_thread_num(ident* where);
void __kmpc_taskgroup(ident* where, int gtid);
void __kmpc_end_taskgroup(ident* where, int gtid);
__attribute__((weak)) int __kmpc_start_record_task(ident* where, int gtid, int flags, int id);
__attribute__((weak)) void __kmpc_end_record_task(ident* where, int gtid, int flags, int id);

static int is_served(void) { return __kmpc_start_record_task != NULL; }

// Whether the program is to create the tasks.
static int begin_graph(int id, int flags) {
  const int gtid = __kmpc_global_thread_num(NULL);
  if (is_served()) return __kmpc_start_record_task(NULL, gtid, flags, id);
  if (!(flags & kNoWait)) __kmpc_taskgroup(NULL, gtid);
  return 1;
}

static void end_graph(int id, int flags) {
  const int gtid = __kmpc_global_thread_num(NULL);
  if (is_served()) {
    __kmpc_end_record_task(NULL, gtid, flags, id);
  } else if (!(flags & kNoWait)) {
    __kmpc_end_taskgroup(NULL, gtid);
  }
}

// The program has created the tasks so often, of `rounds` times.
static void check_made(int made, int expected, int rounds) {
  CHECK_EQUAL(is_served() ? expected : rounds, made);
}

// A value that is right only in the order of the dependences, in another region each time, of another
// size.
static void orders(void) {
  int made = 0, value = 0, expected = 0;
  char x, y;
  const int most = omp_get_max_threads() + 1;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(1 + round % most)
#pragma omp single
    {
      if (begin_graph(1, 0)) {
        ++made;
#pragma omp task depend(out : x) shared(value)
        add(&value, 5);
#pragma omp task depend(out : y) shared(value)
        add(&value, -3);
#pragma omp task depend(in : x, y) shared(value)
        value *= 2;
#pragma omp task depend(inout : x) shared(value)
        value += 1;
      }
      end_graph(1, 0);
      expected = (expected + 2) * 2 + 1;
      CHECK_EQUAL(expected, value);
    }
  }
  check_made(made, 1, kRounds);
}

// Tasks begin each time with the data that they were created with, whatever they made of them, and
// create children of their own.
static void data_and_children(void) {
  int made = 0, sum = 0, children = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    if (begin_graph(2, 0)) {
      ++made;
      for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(i) shared(sum, children)
        {
          add(&sum, i++);
#pragma omp task firstprivate(i) shared(children)
          add(&children, i);
          i = 1000;
#pragma omp taskwait
        }
      }
    }
    end_graph(2, 0);
    CHECK_EQUAL(45 * (round + 1), value_of(&sum));
    CHECK_EQUAL(55 * (round + 1), value_of(&children));
  }
  check_made(made, 1, kRounds);
}

// A row of a wavefront, wide and deep, whose edges are more than a node has room for.
enum { kSide = 12 };
static void wavefront(void) {
  static long paths[kSide][kSide];
  int made = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    memset(paths, 0, sizeof paths);
    if (begin_graph(3, 0)) {
      ++made;
      for (int i = 0; i < kSide; ++i) {
        for (int j = 0; j < kSide; ++j) {
          long* const up = &paths[i > 0 ? i - 1 : 0][j];
          long* const left = &paths[i][j > 0 ? j - 1 : 0];
          long* const own = &paths[i][j];
#pragma omp task depend(in : *up, *left) depend(out : *own) firstprivate(i, j, up, left, own)
          *own = i == 0 || j == 0 ? 1 : *up + *left;
        }
      }
#pragma omp task depend(inout : paths[kSide - 1][kSide - 1])
      paths[kSide - 1][kSide - 1] += 1;
    }
    end_graph(3, 0);
    CHECK_EQUAL(705432 + 1, paths[kSide - 1][kSide - 1]);
  }
  check_made(made, 1, kRounds);
}

// What waits amid a graph waits in a replay, too: taskwait, with and without dependences, taskgroup,
// taskloop, and tasks that are undeferred.
static void waits(void) {
  int made = 0, sum = 0, wrong = 0, steps = 0;
  char x;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    sum = steps = 0;
    if (begin_graph(4, 0)) {
      ++made;
#pragma omp task shared(sum)
      add(&sum, 1);
#pragma omp taskwait
#pragma omp task shared(sum, wrong)
      if (value_of(&sum) != 1) add(&wrong, 1);
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp task shared(sum)
        {
#pragma omp task shared(sum)
          add(&sum, 10);
        }
      }
#pragma omp task shared(sum, wrong)
      if (value_of(&sum) != 11) add(&wrong, 1);
#pragma omp taskwait
#pragma omp taskloop num_tasks(7) shared(sum)
      for (int i = 0; i < 100; ++i) add(&sum, 1);
#pragma omp task depend(out : x) shared(sum, wrong, steps)
      {
        if (value_of(&sum) != 111) add(&wrong, 1);
        add(&steps, 1);
      }
#pragma omp task if (0) depend(in : x) shared(steps, wrong)
      if (value_of(&steps) != 1) add(&wrong, 1);
#pragma omp task depend(out : x) shared(steps)
      add(&steps, 1);
#pragma omp taskwait depend(in : x)
#pragma omp task shared(steps, wrong)
      if (value_of(&steps) != 2) add(&wrong, 1);
    }
    end_graph(4, 0);
    CHECK_EQUAL(0, value_of(&wrong));
    CHECK_EQUAL(2, value_of(&steps));
  }
  check_made(made, 1, kRounds);
}

// Reductions go to the copies of the threads that replay, in groups that are others than the recorded
// ones: each second time there is one more around them.
static void reductions(void) {
  int made = 0;
  long sum = 0;
  const long* const original = &sum;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    const int gtid = __kmpc_global_thread_num(NULL);
    if (round % 2) __kmpc_taskgroup(NULL, gtid);
    if (begin_graph(5, 0)) {
      ++made;
#pragma omp taskloop reduction(+ : sum) num_tasks(20)
      for (int i = 0; i < 200; ++i) sum += i;
#pragma omp taskgroup task_reduction(+ : sum)
      {
#pragma omp task in_reduction(+ : sum)
        {
          if (omp_get_num_threads() > 1) CHECK(&sum != original);
          sum += 7;
#pragma omp task in_reduction(+ : sum)
          sum += 3;
        }
      }
    }
    end_graph(5, 0);
    if (round % 2) __kmpc_end_taskgroup(NULL, gtid);
    CHECK_EQUAL(19910 * (round + 1), sum);
  }
  check_made(made, 1, kRounds);
}

// A graph that nobody waits for at its end; later siblings depend on its tasks.
static void nowait(void) {
  int made = 0, value = 0, wrong = 0;
  char x;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
#pragma omp task depend(out : x) shared(value)
    value = round;
    if (begin_graph(6, kNoWait)) {
      ++made;
#pragma omp task depend(inout : x) shared(value)
      value += 100;
    }
    end_graph(6, kNoWait);
#pragma omp task depend(inout : x) shared(value, wrong)
    if (value != round + 100) add(&wrong, 1);
  }
  CHECK_EQUAL(0, wrong);
  check_made(made, 1, kRounds);
}

// Siblings from before, on which tasks of a graph depend.
static void siblings_before(void) {
  int made = 0, value = 0, seen = 0;
  char x;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
#pragma omp task depend(out : x) shared(value)
    {
      for (int i = 0; i < 100; ++i) sched_yield();
      value = round;
    }
    if (begin_graph(7, 0)) {
      ++made;
#pragma omp task depend(in : x) shared(value, seen)
      seen = value;
    }
    end_graph(7, 0);
    CHECK_EQUAL(round, seen);
  }
  check_made(made, 1, kRounds);
}

// A graph inside another is a part of it; by itself it is another one.
static void nested(void) {
  int made = 0, inner = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int round = 0; round < kRounds; ++round) {
      if (begin_graph(8, 0)) {
        ++made;
#pragma omp task shared(sum)
        add(&sum, 1);
        if (begin_graph(9, 0)) {
          ++inner;
#pragma omp task shared(sum)
          add(&sum, 10);
        }
        end_graph(9, 0);
#pragma omp task shared(sum)
        add(&sum, 100);
      }
      end_graph(8, 0);
      CHECK_EQUAL(111 * (round + 1), value_of(&sum));
    }
  }
  check_made(made, 1, kRounds);
  check_made(inner, 1, kRounds);
}

// Each time anew, if the program says so; and without it what the last one was.
static void resets(void) {
  int made = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    const int flags = round < kRounds / 2 ? kReset : 0;
    if (begin_graph(10, flags)) {
      ++made;
#pragma omp task shared(sum) firstprivate(round)
      add(&sum, round);
    }
    end_graph(10, 0);
  }
  check_made(made, kRounds / 2, kRounds);
  const int last = kRounds / 2 - 1;
  if (is_served()) CHECK_EQUAL(last * (last + 1) / 2 + last * kRounds / 2, value_of(&sum));
}

// Threads that come to a graph together: one records it, the others create their tasks meanwhile.
static void together(void) {
  int sum = 0, made = 0;
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      if (begin_graph(11, 0)) {
        add(&made, 1);
#pragma omp task shared(sum)
        add(&sum, 1);
#pragma omp taskwait
#pragma omp task shared(sum)
        add(&sum, 1);
      }
      end_graph(11, 0);
#pragma omp barrier
      CHECK_EQUAL(2 * threads * (round + 1), value_of(&sum));
#pragma omp barrier
    }
    if (is_served()) CHECK(value_of(&made) >= 1 && value_of(&made) <= threads);
  }
}

// What a replay cannot do, the program does each time.
static void not_replayable(void) {
  int made = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    if (begin_graph(12, 0)) {
      ++made;
      omp_event_handle_t event;
#pragma omp task detach(event) shared(sum)
      add(&sum, 1);
      omp_fulfill_event(event);
    }
    end_graph(12, 0);
    CHECK_EQUAL(round + 1, value_of(&sum));
  }
  CHECK_EQUAL(kRounds, made);
}

int main(void) {
  orders();
  data_and_children();
  wavefront();
  waits();
  reductions();
  nowait();
  siblings_before();
  nested();
  resets();
  together();
  not_replayable();
  return ok();
}
