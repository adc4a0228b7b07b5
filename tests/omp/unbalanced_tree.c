// A tree like the Unbalanced Tree Search's: a node's hash determines its number of children, so no
// thread knows where the work is. The tasks' count must equal the loop's.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRootChildren = 300, kChildren = 4 };

static unsigned long long hash(unsigned long long x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Just under one child per node on average.
static int children_of(unsigned long long node) { return node % 1000 < 235 ? kChildren : 0; }

static int count_alone(unsigned long long node, int children) {
  int nodes = 1;
  for (int i = 0; i < children; ++i) {
    const unsigned long long child = hash(node + (unsigned long long)i);
    nodes += count_alone(child, children_of(child));
  }
  return nodes;
}

static int count(unsigned long long node, int children) {
  int nodes = 1;
  for (int i = 0; i < children; ++i) {
    const unsigned long long child = hash(node + (unsigned long long)i);
#pragma omp task shared(nodes)
    {
      const int below = count(child, children_of(child));
#pragma omp atomic
      nodes += below;
    }
  }
#pragma omp taskwait
  return nodes;
}

int main(void) {
  int nodes = 0;
#pragma omp parallel
#pragma omp single
  nodes = count(42, kRootChildren);
  CHECK_EQUAL(count_alone(42, kRootChildren), nodes);
  CHECK(nodes > 2 * kRootChildren);
  return ok();
}
