// Chunks of a loop that two threads take from each other (algorithm/relic/shared_range.hpp), and
// the loop around them (algorithm/relic/shared_loop.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "checker/protocol.hpp"
#include "finegrain/algorithm/relic/shared_loop.hpp"
#include "finegrain/algorithm/relic/shared_range.hpp"

namespace {

using fg::detail::range_side;
using fg::detail::shared_range;

template <std::size_t Chunks>
using counts = std::array<int, Chunks>;

template <std::size_t Chunks>
void require_each_once(const counts<Chunks>& begun) {
  for (const int each : begun) {
    model::require(each == 1, "each chunk is begun once");
  }
}

void take_all(shared_range& range, range_side side, auto& begun) {
  while (const auto chunk = range.take(side)) {
    ++begun[*chunk];
    if (side == range_side::assistant) {
      model::require(range.lengths().length == 7, "the lengths come with the chunks");
    }
  }
}

// The assistant may check before the range is opened, and then leaves; it may steal, and be stolen
// from.
template <std::uint32_t Mains, std::uint32_t Assistants>
void open_and_take() {
  shared_range range;
  counts<Mains + Assistants> begun{};
  model::run_threads(
      [&] {
        range.open({0, Mains}, {Mains, Mains + Assistants}, {7, 0});
        take_all(range, range_side::main, begun);
      },
      [&] { take_all(range, range_side::assistant, begun); });
  require_each_once(begun);
}

// One loop after the other, in the same range.
void two_loops() {
  shared_range range;
  fg::atomic<int> told{0};
  fg::atomic<int> left{0};
  counts<2> first{};
  counts<3> second{};
  model::run_threads(
      [&] {
        told.store(1, fg::memory_order_release);
        range.open({0, 1}, {1, 2}, {7, 0});
        take_all(range, range_side::main, first);
        model::await([&] { return left.load(fg::memory_order_acquire) == 1; });
        require_each_once(first);
        told.store(2, fg::memory_order_release);
        range.open({0, 2}, {2, 3}, {7, 0});
        take_all(range, range_side::main, second);
      },
      [&] {
        model::await([&] { return told.load(fg::memory_order_acquire) == 1; });
        take_all(range, range_side::assistant, first);
        left.store(1, fg::memory_order_release);
        model::await([&] { return told.load(fg::memory_order_acquire) == 2; });
        take_all(range, range_side::assistant, second);
      });
  require_each_once(second);
}

// Main abandons the loop while the assistant takes and steals; after the reset the range can be
// reused.
void closed() {
  shared_range range;
  fg::atomic<int> left{0};
  fg::atomic<int> told{0};
  counts<3> begun{};
  counts<2> again{};
  model::run_threads(
      [&] {
        range.open({0, 2}, {2, 3}, {7, 0});
        range.close();
        model::require(!range.take(range_side::main), "a closed range is empty");
        model::await([&] { return left.load(fg::memory_order_acquire) == 1; });
        range.reset();
        told.store(1, fg::memory_order_release);
        range.open({0, 1}, {1, 2}, {7, 0});
        take_all(range, range_side::main, again);
      },
      [&] {
        take_all(range, range_side::assistant, begun);
        left.store(1, fg::memory_order_release);
        model::await([&] { return told.load(fg::memory_order_acquire) == 1; });
        take_all(range, range_side::assistant, again);
      });
  for (const int each : begun) {
    model::require(each <= 1, "no chunk is begun twice");
  }
  require_each_once(again);
}

// A relic as far as a loop needs it: the second thread runs one task.
class one_task_relic {
 public:
  struct without_help {
    explicit without_help(one_task_relic& /*relic*/) {}
  };

  template <class T>
  struct forked {
    one_task_relic* relic;
    void wait() const {
      model::await([&] { return relic->state_.load(fg::memory_order_acquire) == 2; });
    }
    [[nodiscard]] T get() const {
      wait();
      return relic->record_.take<T>();
    }
  };

  template <class Task>
  auto fork(Task task) {
    record_.emplace_keeping<true>(task);
    state_.store(1, fg::memory_order_release);
    return forked<std::invoke_result_t<Task&>>{this};
  }
  void assist() {
    model::await([&] { return state_.load(fg::memory_order_acquire) == 1; });
    record_.run();
    state_.store(2, fg::memory_order_release);
  }

 private:
  fg::detail::task_record record_;
  fg::atomic<int> state_{0};
};

// Which side throws, and at which iteration.
struct work {
  counts<4>* begun;
  int throws_main;
  int throws_assistant;

  struct part {
    const work& of;
    int throws;
    void operator()(std::uint64_t begin, std::uint64_t end) const {
      for (; begin != end; ++begin) {
        ++(*of.begun)[begin];
        if (static_cast<int>(begin) == throws) {
          throw throws;
        }
      }
    }
    void finish() const {}
  };
  [[nodiscard]] part worker(range_side side) const {
    return {*this, side == range_side::main ? throws_main : throws_assistant};
  }
};

// The range is empty again, whichever side threw.
void loop(int throws_main, int throws_assistant) {
  constexpr int kNone = -1;
  one_task_relic relic;
  fg::detail::loop_room room;
  counts<4> begun{};
  const fg::detail::loop_layout layout{{.iterations = 4, .grain = 1}, {}};
  model::run_threads(
      [&] {
        int thrown = kNone;
        try {
          fg::detail::run_shared_parts(relic, layout, room,
                                       work{&begun, throws_main, throws_assistant});
        } catch (int which) {
          thrown = which;
        }
        if (throws_main == kNone && throws_assistant == kNone) {
          require_each_once(begun);
        }
        model::require(throws_main == kNone || thrown == throws_main, "main's exception arrives");
        model::require(
            throws_main != kNone || throws_assistant == kNone || thrown == throws_assistant,
            "the assistant's exception arrives");
        model::require(!room.range.take(range_side::main), "the range is empty");
        model::require(!room.assistant_threw.load(fg::memory_order_relaxed), "and so is the room");
      },
      [&] { relic.assist(); });
}
void whole_loop() { loop(-1, -1); }
void main_throws() { loop(0, -1); }
void assistant_throws() { loop(-1, 2); }

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "shared_range, shared_loop: main and the assistant",
      {{"2 and 2 chunks", "each chunk once, with its length", open_and_take<2, 2>},
       {"4 and 0 chunks", "each chunk once, with its length", open_and_take<4, 0>},
       {"1 and 3 chunks", "each chunk once, with its length", open_and_take<1, 3>},
       {"2 loops", "each chunk once, with its length", two_loops},
       {"closed, reset, opened again", "no chunk twice", closed},
       {"a loop", "each iteration once", whole_loop},
       {"a loop where main throws", "its exception arrives, no iteration twice", main_throws},
       {"a loop where the assistant throws", "its exception arrives, no iteration twice",
        assistant_throws}},
      argc, argv);
}
