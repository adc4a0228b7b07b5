// Calls that their maker and each other hand over (algorithm/pool/shared_calls.hpp), by the lists of
// the threads that make them (pool/assigned_tasks.hpp), and their end.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>

#include "checker/protocol.hpp"
#include "finegrain/algorithm/pool/shared_calls.hpp"
#include "finegrain/pool/assigned_tasks.hpp"

namespace {

constexpr std::size_t kThreads = 3;

template <std::size_t Branches>
class calls_of_three {
 public:
  // They are gone as soon as they have ended. What the calls wrote is in plain memory.
  void run() {
    model::run_threads([this] { make(); }, [this] { serve(1); }, [this] { serve(2); });
  }

 private:
  void make() {
    const auto shared = std::make_unique<fg::detail::shared_calls<Branches>>(kThreads - 1);
    shared_ = shared.get();
    shared->hand_over_all([this](std::size_t each) { assign(each); });
    model::await([&] { return shared->has_ended(); });
    model::require(made_ == std::array{0, 1, 1}, "each call was made once, and is seen");
  }

  void serve(std::size_t place) {
    model::await([&] { return lists_[place].take(); });
    shared_->hand_over_below(place, [this](std::size_t each) { assign(each); });
    ++made_[place];
    shared_->end(place);
  }

  void assign(std::size_t place) { lists_[place].put(calls_[place]); }

  std::array<fg::detail::assigned_task, kThreads> calls_;
  std::array<fg::detail::assigned_tasks, kThreads> lists_;
  std::array<int, kThreads> made_{};
  fg::detail::shared_calls<Branches>* shared_ = nullptr;
};

void in_a_chain() { calls_of_three<1>{}.run(); }
void side_by_side() { calls_of_three<2>{}.run(); }

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("shared_calls (pool): 3 threads",
                               {{"one below the other", "each once, seen, then freed", in_a_chain},
                                {"two below one", "each once, seen, then freed", side_by_side}},
                               argc, argv);
}
