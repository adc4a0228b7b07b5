// Safra's algorithm among simulated ranks, whose messages arrive as late as possible.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/mpi/termination.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

namespace {

class simulation {
 public:
  simulation(int ranks, unsigned seed) : random_{seed}, slowness_{seed % 6} {
    for (int number = 0; number != ranks; ++number) {
      ranks_.push_back({fg::mpi::detail::termination{number}});
    }
    ranks_[0].work = 2;
  }

  // One rank takes one step. True when the algorithm says that all have ended.
  bool step() {
    rank& here = ranks_[any()];
    if (here.work_on_its_way != 0 && chance(2)) {
      --here.work_on_its_way;
      ++here.work;
      here.side.received_work();
    } else if (here.work != 0) {
      if (budget_ != 0 && chance(3)) {
        --budget_;
        here.side.sent_work();
        ++ranks_[any()].work_on_its_way;
      }
      if (chance(3)) {
        --here.work;
      }
    } else if (here.token_on_its_way && chance(2)) {
      here.side.received(*here.token_on_its_way);
      here.token_on_its_way.reset();
    } else if (const auto token = here.side.pass_on()) {
      const std::size_t next =
          (static_cast<std::size_t>(&here - ranks_.data()) + 1) % ranks_.size();
      ranks_[next].token_on_its_way = token;
    }
    return ranks_[0].side.is_over();
  }

  [[nodiscard]] bool has_work() const {
    bool any = false;
    for (const rank& each : ranks_) {
      any |= each.work != 0 || each.work_on_its_way != 0;
    }
    return any;
  }

 private:
  struct rank {
    fg::mpi::detail::termination side;
    unsigned work = 0;
    unsigned work_on_its_way = 0;
    std::optional<fg::mpi::detail::termination::token> token_on_its_way{};
  };

  // Some seeds have fast ranks, some slow ones.
  bool chance(unsigned one_in) { return random_() % (one_in + slowness_) == 0; }
  std::size_t any() { return random_() % ranks_.size(); }

  std::mt19937 random_;
  unsigned slowness_;
  std::vector<rank> ranks_;
  int budget_ = 200;  // of work messages
};

TEST(termination, is_told_when_no_rank_has_work_and_not_before) {
  for (const int ranks : {2, 3, 4}) {
    for (unsigned seed = 0; seed != 2000; ++seed) {
      simulation all{ranks, seed};
      int steps = 0;
      while (!all.step()) {
        ASSERT_LT(++steps, 1'000'000) << "it never ends: " << ranks << " ranks, seed " << seed;
      }
      ASSERT_FALSE(all.has_work()) << ranks << " ranks, seed " << seed;
    }
  }
}

}  // namespace
