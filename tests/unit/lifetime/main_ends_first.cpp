// The main thread ends by pthread_exit, which ends its relic; a static pool serves other threads
// until one of them exits. A program of its own: GoogleTest does not let its main thread end.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/forked_fib.hpp"

namespace {

fg::pool pool;
int ran = 0;
fg::atomic<bool> main_has_unwound{false};

struct tells_of_its_end {
  ~tells_of_its_end() {
    main_has_unwound.store(true);
    main_has_unwound.notify_one();
  }
};

void outlive() {
  main_has_unwound.wait(false);
  const bool works = pool.run([] { return fg::test::forked_fib(15); }) == 610;
  std::printf("main ended after %d task, the pool %s\n", ran, works ? "works" : "does not work");
  std::exit(0);
}

}  // namespace

int main() {
  std::thread{&outlive}.detach();
  const tells_of_its_end first;
  fg::relic relic;
  relic.submit([] { ++ran; });
  pthread_exit(nullptr);
}
