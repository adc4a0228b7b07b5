// What a program does without a framework: two threads with a queue between them.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/frame/second_thread.hpp"
#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

// In the queue. Of 4, 16, 64 and 256 this is the fastest: a token of two stages of 100 ns takes 231, 185, 184
// and 75 ns (2 CPUs of an AMD EPYC, not SMT siblings, serial 172).
constexpr std::size_t kTokens = 256;

// The first thread has the first stage and the second one the last. A parallel stage is called for every
// second token by either, so that both have the same work.
class two_threads {
 public:
  two_threads(token_stages& stages, int cpu)
      : stages_{stages}, second_{cpu, [this] { finish_all(); }} {}
  ~two_threads() { push({.number = kLeave}); }
  two_threads(const two_threads&) = delete;
  two_threads& operator=(const two_threads&) = delete;

  void run() {
    while (const auto made = stages_.make()) {
      ++pushed_;
      push(stages_.has_middle() && is_first_ones(*made) ? stages_.work(*made) : *made);
    }
    // Acquire: pairs with the release of the second thread, for the results.
    while (finished_.load(memory_order_acquire) != pushed_) {
    }
  }

 private:
  static constexpr std::uint64_t kLeave = ~std::uint64_t{0};

  static bool is_first_ones(const token& passing) { return passing.number % 2 == 0; }

  void push(const token& passing) {
    while (!queue_.try_push(passing)) {
    }
  }

  void finish_all() {
    std::uint64_t finished = 0;
    for (token passing;;) {
      if (!queue_.try_pop(passing)) {
        continue;
      }
      if (passing.number == kLeave) {
        return;
      }
      if (stages_.has_middle() && !is_first_ones(passing)) {
        passing = stages_.work(passing);
      }
      stages_.finish(passing);
      finished_.store(++finished, memory_order_release);  // pairs with the acquire in run
    }
  }

  token_stages& stages_;
  fg::detail::spsc_ring<token> queue_{kTokens};
  std::uint64_t pushed_ = 0;
  alignas(kCacheLineBytes) atomic<std::uint64_t> finished_{0};
  second_thread second_;  // the last: it joins before the rest goes
};

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  require_cpu(cpus.main);
  two_threads line{stages, cpus.assistant};
  measure([&line] { line.run(); });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::pipeline_main(
      argc, argv,
      {.name = "two-threads", .version = "std::thread and a queue", .session = fg::bench::session});
}
