// The depend clause: which siblings must finish before a task may start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

struct task;

/// How a task uses a storage location, for both ABIs.
enum class access : std::uint8_t {
  in,          ///< runs together with other `in`s
  inout,       ///< runs alone: out, inout, and mutexinoutset, whose tasks run in creation order
  inoutset,    ///< runs together with others of the set
  all_memory,  ///< like `inout` of every location
};

/// An item of a depend clause.
struct dependence {
  std::uintptr_t address;
  access how;
};

/// A node in the dependence graph of sibling tasks. It stands for a task, or for a taskwait with a
/// depend clause, which has no task and is polled by the waiting thread.
///
/// ## Protocol
/// `blockers` counts the predecessors that have not finished, plus one while the node is being
/// linked. A predecessor that finishes takes its list of successors under its lock and marks itself
/// finished; the linking thread reads that mark under the same lock. So a successor is either in
/// the list, and is notified, or was not counted. The thread that takes `blockers` to zero makes
/// the task ready.
///
/// Reference-counted: the task, the table of its parent, and the lists of its predecessors hold
/// references, and the last one to drop its reference destroys the node.
class dependence_node {
 public:
  /// Destroys the node, on the thread that releases it last.
  using ending = void (*)(dependence_node& unused) noexcept;

  dependence_node(task* whose, ending end) noexcept : whose_{whose}, end_{end} {}
  dependence_node(const dependence_node&) = delete;
  dependence_node& operator=(const dependence_node&) = delete;
  ~dependence_node() = default;

  [[nodiscard]] task* whose() const noexcept { return whose_; }

  /// Called by the linking thread only.
  void wait_for(dependence_node& predecessor);
  /// Ends the linking. Returns true if nothing blocks the node any more.
  bool end_linking() noexcept { return unblock(); }

  /// Removes one blocker. Returns true if it was the last. Any thread.
  bool unblock() noexcept {
    // Release: publishes what the predecessor did. Acquire: the last predecessor passes all of it
    // on to the task.
    return blockers_.fetch_sub(1, memory_order_acq_rel) == 1;
  }
  [[nodiscard]] bool is_blocked() const noexcept {
    return blockers_.load(memory_order_acquire) != 0;  // pairs with unblock
  }
  [[nodiscard]] bool is_finished() noexcept {
    const std::lock_guard hold{mutex_};
    return finished_;
  }

  /// Marks the node finished and calls `tell` for each successor; `tell` must unblock and release
  /// its argument.
  template <class Tell>
  void finish(Tell tell) noexcept {
    const std::size_t count = mark_finished();
    for (std::size_t i = 0; i < count; ++i) {  // no more are added
      tell(*successor(i));
    }
  }

  /// Returns a copy of the successors known so far, in linking order.
  std::vector<dependence_node*> successors();

  void retain() noexcept {
    references_.fetch_add(1, memory_order_relaxed);
  }  // relaxed: the caller holds one
  void release() noexcept {
    // Acquire-release: all uses precede the destruction.
    if (references_.fetch_sub(1, memory_order_acq_rel) == 1) {
      end_(*this);
    }
  }

 private:
  // As many as fit into three cache lines; more take an allocation.
  static constexpr std::size_t kFew = 10;

  // Returns the number of successors, which is zero from then on. Called once.
  std::size_t mark_finished() noexcept;
  void add_successor(dependence_node& next);
  [[nodiscard]] dependence_node* successor(std::size_t i) const noexcept {
    return i < kFew ? few_successors_[i] : more_successors_[i - kFew];
  }

  task* whose_;
  ending end_;
  atomic<std::uint32_t> references_{1};
  atomic<std::uint32_t> blockers_{1};
  std::mutex mutex_;
  bool finished_ = false;
  std::uint32_t count_ = 0;
  std::array<dependence_node*, kFew> few_successors_;  // the first `count_`
  std::vector<dependence_node*> more_successors_;
};

/// Dependence table of one parent task: the uses of each location that its children have declared
/// so far. Only the thread that runs the parent uses it.
///
/// Each location has two sets of nodes: those of the latest kind of use, which may run together,
/// and those before them, for which all of the latest wait.
class dependence_table {
 public:
  dependence_table() = default;
  dependence_table(const dependence_table&) = delete;
  dependence_table& operator=(const dependence_table&) = delete;
  ~dependence_table();

  /// Makes `node` wait for its predecessors and records it as a predecessor of later nodes. Throws
  /// std::bad_alloc.
  void link(dependence_node& node, std::span<const dependence> items);
  /// Like `link`, but does not record the node.
  void wait_for_predecessors(dependence_node& node, std::span<const dependence> items);

 private:
  struct uses {
    access how = access::inout;
    std::vector<dependence_node*> latest;
    std::vector<dependence_node*> before;
  };

  uses& uses_of(std::uintptr_t address);
  static void link_one(dependence_node& node, uses& of, access how);
  void link_everything(dependence_node& node);
  static void wait_for_all(dependence_node& node, std::vector<dependence_node*>& nodes);
  static void forget_finished(std::vector<dependence_node*>& nodes) noexcept;
  static void drop(std::vector<dependence_node*>& nodes) noexcept;

  std::unordered_map<std::uintptr_t, uses> locations_;
  dependence_node* everything_ = nullptr;  // the latest `all_memory` node
};

}  // namespace fg::omp
