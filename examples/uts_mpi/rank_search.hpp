// One rank's part of a search: expands nodes on a pool, and shares them with the other ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"
#include "uts_mpi/ranks.hpp"
#include "uts_mpi/termination.hpp"

namespace uts {

using fg::bench::uts::count;
using fg::bench::uts::tree_spec;

/// A rank without nodes asks the others in turn, one at a time, and answers requests meanwhile. A
/// rank with more than a batch gives away half of its oldest nodes, nearest to the root.
class rank_search {
 public:
  rank_search(const tree_spec& tree, const ranks& all, fg::pool& workers)
      : tree_{tree}, all_{all}, pool_{workers}, end_{all.own()}, by_worker_(workers.size()) {}

  /// The result of this rank when all ranks have ended.
  count run() {
    if (all_.own() == 0) {
      nodes_.push_back(fg::bench::uts::root(tree_));
    }
    while (!is_over_) {
      expand_a_batch();
      const bool heard = answer_messages();
      if (nodes_.empty() && !is_over_) {
        look_for_nodes();
        if (!heard) {
          std::this_thread::yield();  // there may be fewer CPUs than ranks
        }
      }
    }
    // A request may still be in flight, and the answer to this rank's own: nothing may remain for
    // the next search.
    while (is_asking_) {
      answer_messages();
    }
    all_.meet([this] { answer_messages(); });
    count sum;
    for (const found& each : by_worker_) {
      sum += each.sum;
    }
    return sum;
  }

 private:
  // Per task: about 5 us at 50 ns per node.
  static constexpr std::size_t kNodesATask = 100;
  // Between two checks for messages: up to 1.3 ms. One rank of two workers (2-CPU Xeon, no
  // siblings) walks T1 and T3 1.52 and 1.07 times as fast as one thread with 16, 1.69 and 1.46 with
  // 64, 1.76 and 1.66 with 256, 1.79 and 1.73 with 1024; two ranks T1 1.79 to 1.81, 1.69 with 1024.
  static constexpr std::size_t kTasksAWorker = 256;

  struct alignas(64) found {
    count sum;
    std::vector<node> left;
  };

  void expand_a_batch() {
    const std::size_t tasks = std::min(nodes_.size(), kTasksAWorker * by_worker_.size());
    if (tasks == 0) {
      return;
    }
    const node* const batch = &nodes_[nodes_.size() - tasks];
    pool_.run([&] {
      fg::parallel_for(std::size_t{0}, tasks, [&](std::size_t i) {
        expand(batch[i], by_worker_[fg::worker::current()->id()]);
      });
    });
    nodes_.resize(nodes_.size() - tasks);
    for (found& each : by_worker_) {
      nodes_.insert(nodes_.end(), each.left.begin(), each.left.end());
      each.left.clear();
    }
  }

  // Depth first; nodes that are not expanded within the task are left over.
  void expand(const node& top, found& here) const {
    const std::size_t below = here.left.size();
    here.left.push_back(top);
    for (std::size_t i = 0; i != kNodesATask && here.left.size() != below; ++i) {
      const node parent = here.left.back();
      here.left.pop_back();
      const std::uint32_t children = fg::bench::uts::children(tree_, parent);
      here.sum += {1, children == 0 ? 1U : 0U, parent.depth};
      for (std::uint32_t child = 0; child != children; ++child) {
        here.left.push_back(fg::bench::uts::child(tree_, parent, child));
      }
    }
  }

  // True if there were any.
  bool answer_messages() {
    bool heard = false;
    while (const auto message = all_.receive()) {
      heard = true;
      switch (message->what) {
        case ranks::message::asks:
          give_nodes(message->from);
          break;
        case ranks::message::nodes_come:
          is_asking_ = false;
          if (!message->nodes.empty()) {
            end_.received_work();
            nodes_.insert(nodes_.end(), message->nodes.begin(), message->nodes.end());
          }
          break;
        case ranks::message::token_comes:
          end_.received(message->token);
          break;
        case ranks::message::ends:
          is_over_ = true;
          break;
      }
    }
    return heard;
  }

  void give_nodes(int rank) {
    const std::size_t batch = kTasksAWorker * by_worker_.size();
    const std::size_t given =
        nodes_.size() > batch ? std::min(nodes_.size() / 2, ranks::kMostNodes) : 0;
    const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(given);
    all_.give(rank, {nodes_.begin(), end});
    nodes_.erase(nodes_.begin(), end);
    if (given != 0) {
      end_.sent_work();
    }
  }

  void look_for_nodes() {
    if (all_.count() == 1) {
      is_over_ = true;
      return;
    }
    if (const auto token = end_.pass_on()) {
      all_.pass_on(*token);
    }
    if (end_.is_over()) {
      all_.tell_all_of_the_end();
      is_over_ = true;
    } else if (!is_asking_) {
      victim_ = (victim_ + 1) % all_.count();
      if (victim_ == all_.own()) {
        victim_ = (victim_ + 1) % all_.count();
      }
      all_.ask(victim_);
      is_asking_ = true;
    }
  }

  const tree_spec& tree_;
  const ranks& all_;
  fg::pool& pool_;
  termination end_;
  std::vector<found> by_worker_;
  std::vector<node> nodes_;
  int victim_ = 0;
  bool is_asking_ = false;
  bool is_over_ = false;
};

}  // namespace uts
