#include "micro/floor.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/core/affinity.hpp"
#include "finegrain/core/atomic.hpp"

namespace fg::bench {

namespace {

// 128: nothing else on the line, nor on its neighbour, which some prefetchers fetch along.
struct alignas(128) bounced_line {
  atomic<std::uint64_t> value{0};
};

// Every store here (release) pairs with the other thread's load (acquire) of that value: the
// weakest orders that a hand-off of data could use.
void answer(bounced_line& line, std::uint64_t round_trips) {
  for (std::uint64_t i = 0; i < round_trips; ++i) {
    while (line.value.load(memory_order_acquire) != 2 * i + 1) {
    }
    line.value.store(2 * i + 2, memory_order_release);
  }
}

void call(bounced_line& line, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    line.value.store(2 * i + 1, memory_order_release);
    while (line.value.load(memory_order_acquire) != 2 * i + 2) {
    }
  }
}

void require_pinned(std::error_code error, int cpu) {
  if (error) {
    throw std::runtime_error("can not run on CPU " + std::to_string(cpu) + ": " + error.message());
  }
}

}  // namespace

double measure_floor_ns(int cpu, int other_cpu, std::uint64_t round_trips) {
  using clock = std::chrono::steady_clock;
  require_pinned(pin_this_thread(cpu), cpu);
  const std::uint64_t warmup = round_trips / 10 + 1;
  bounced_line line;
  std::thread other{[&line, all = warmup + round_trips] { answer(line, all); }};
  const std::error_code error = pin_thread(other, other_cpu);
  call(line, 0, warmup);
  const clock::time_point start = clock::now();
  call(line, warmup, warmup + round_trips);
  const clock::time_point end = clock::now();
  other.join();
  require_pinned(error, other_cpu);
  return std::chrono::duration<double, std::nano>{end - start}.count() /
         static_cast<double>(round_trips);
}

}  // namespace fg::bench
