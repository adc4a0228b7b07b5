// Calls handed over in a tree (algorithm/pool/call_tree.hpp), each by the list of the thread that
// makes it (pool/assigned_tasks.hpp), and their end.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>

#include "checker/protocol.hpp"
#include "finegrain/algorithm/pool/call_tree.hpp"
#include "finegrain/pool/assigned_tasks.hpp"

namespace {

constexpr std::size_t kThreads = 3;

template <std::size_t Branches>
class calls_in_a_tree {
 public:
  // The tree is gone as soon as it has ended. What the calls wrote is in plain memory.
  void run() {
    model::run_threads([this] { make(); }, [this] { serve(1); }, [this] { serve(2); });
  }

 private:
  void make() {
    const auto tree = std::make_unique<fg::detail::call_tree<Branches>>(kThreads - 1);
    tree_ = tree.get();
    hand_over_below(0);
    model::await([&] { return tree->has_ended(); });
    model::require(made_ == std::array{0, 1, 1}, "each call was made once, and is seen");
  }

  void serve(std::size_t place) {
    model::await([&] { return lists_[place].take(); });
    hand_over_below(place);
    ++made_[place];
    tree_->end(place);
  }

  void hand_over_below(std::size_t place) {
    for (std::size_t each = tree_->first_below(place); each != tree_->end_below(place); ++each) {
      lists_[each].put(calls_[each]);
    }
  }

  std::array<fg::detail::assigned_task, kThreads> calls_;
  std::array<fg::detail::assigned_tasks, kThreads> lists_;
  std::array<int, kThreads> made_{};
  fg::detail::call_tree<Branches>* tree_ = nullptr;
};

void in_a_chain() { calls_in_a_tree<1>{}.run(); }
void side_by_side() { calls_in_a_tree<2>{}.run(); }

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("call_tree (pool): 3 threads",
                               {{"one below the other", "each once, seen, then freed", in_a_chain},
                                {"two below one", "each once, seen, then freed", side_by_side}},
                               argc, argv);
}
