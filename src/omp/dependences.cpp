// SPDX-License-Identifier: Apache-2.0
#include "dependences.hpp"

#include <bit>
#include <utility>

namespace fg::omp {
namespace {

// If more than this many tasks read a location between two writes, finished ones are removed each
// time their number has doubled: amortized constant time per task.
constexpr std::size_t kMostUnchecked = 64;

}  // namespace

void dependence_node::wait_for(dependence_node& predecessor) {
  const std::lock_guard hold{predecessor.mutex_};
  if (predecessor.finished_ || &predecessor == this) {
    return;
  }
  // One thread links the siblings one after another, so a second edge would follow the first.
  if (predecessor.count_ != 0 && predecessor.successor(predecessor.count_ - 1) == this) {
    return;
  }
  predecessor.add_successor(*this);
  retain();
  blockers_.fetch_add(1, memory_order_relaxed);  // not visible before `end_linking`
}

void dependence_node::add_successor(dependence_node& next) {
  if (count_ < kFew) {
    few_successors_[count_] = &next;
  } else {
    more_successors_.push_back(&next);
  }
  ++count_;
}

std::size_t dependence_node::mark_finished() noexcept {
  const std::lock_guard hold{mutex_};
  finished_ = true;
  return std::exchange(count_, 0);
}

std::vector<dependence_node*> dependence_node::successors() {
  const std::lock_guard hold{mutex_};
  std::vector<dependence_node*> all;
  all.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    all.push_back(successor(i));
  }
  return all;
}

dependence_table::~dependence_table() {
  for (auto& [address, of] : locations_) {
    drop(of.latest);
    drop(of.before);
  }
  if (everything_ != nullptr) {
    everything_->release();
  }
}

void dependence_table::link(dependence_node& node, std::span<const dependence> items) {
  for (const dependence& item : items) {
    if (item.how == access::all_memory) {
      link_everything(node);
      return;
    }
  }
  for (const dependence& item : items) {
    link_one(node, uses_of(item.address), item.how);
  }
}

void dependence_table::wait_for_predecessors(dependence_node& node,
                                             std::span<const dependence> items) {
  for (const dependence& item : items) {
    if (item.how == access::all_memory) {
      if (everything_ != nullptr) {
        node.wait_for(*everything_);
      }
      for (auto& [address, of] : locations_) {
        wait_for_all(node, of.latest);
      }
    } else {
      uses& of = uses_of(item.address);
      wait_for_all(node, of.how == item.how && item.how != access::inout ? of.before : of.latest);
    }
  }
}

dependence_table::uses& dependence_table::uses_of(std::uintptr_t address) {
  const auto [found, is_new] = locations_.try_emplace(address);
  uses& of = found->second;
  if (is_new && everything_ != nullptr) {
    of.latest.push_back(everything_);
    everything_->retain();
  }
  return of;
}

// A task that names a location twice, once as inout, ends up alone there: it is added to `latest` a
// second time and does not wait for itself.
void dependence_table::link_one(dependence_node& node, uses& of, access how) {
  if (how == access::inout || how != of.how) {
    wait_for_all(node, of.latest);
    drop(of.before);
    of.before.swap(of.latest);  // both keep their memory
    of.how = how;
  } else {
    wait_for_all(node, of.before);
    if (of.latest.size() >= kMostUnchecked && std::has_single_bit(of.latest.size())) {
      forget_finished(of.latest);
    }
  }
  of.latest.push_back(&node);
  node.retain();
}

void dependence_table::link_everything(dependence_node& node) {
  for (auto& [address, of] : locations_) {
    wait_for_all(node, of.latest);
    wait_for_all(node, of.before);
    drop(of.latest);
    drop(of.before);
  }
  locations_.clear();
  if (everything_ != nullptr) {
    node.wait_for(*everything_);
    everything_->release();
  }
  everything_ = &node;
  node.retain();
}

void dependence_table::wait_for_all(dependence_node& node, std::vector<dependence_node*>& nodes) {
  forget_finished(nodes);
  for (dependence_node* each : nodes) {
    node.wait_for(*each);
  }
}

void dependence_table::forget_finished(std::vector<dependence_node*>& nodes) noexcept {
  std::erase_if(nodes, [](dependence_node* each) {
    const bool finished = each->is_finished();
    if (finished) {
      each->release();
    }
    return finished;
  });
}

void dependence_table::drop(std::vector<dependence_node*>& nodes) noexcept {
  for (dependence_node* each : nodes) {
    each->release();
  }
  nodes.clear();
}

}  // namespace fg::omp
