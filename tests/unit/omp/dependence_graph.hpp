// Graphs of tasks that are identified by numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "omp/dependences.hpp"

namespace fg::test {

/// The nodes of the running test, and how many of them have been deleted.
struct node_watch {
  std::array<const void*, 512> nodes{};  // null: deleted; its address may be reused
  std::size_t made = 0;
  std::size_t deleted = 0;
  bool watches = false;

  void see_deleted(const void* what) noexcept {
    if (watches && what != nullptr) {
      auto* const end = nodes.begin() + made;
      auto* const found = std::find(nodes.begin(), end, what);
      if (found != end) {
        *found = nullptr;
        ++deleted;
      }
    }
  }
};
inline node_watch watch;

using omp::access;
using omp::dependence;
using omp::dependence_node;
using omp::dependence_table;
using items = std::vector<dependence>;

inline constexpr std::uintptr_t kX = 0x1000;
inline constexpr std::uintptr_t kY = 0x1008;

inline items in(std::uintptr_t address) { return {{address, access::in}}; }
inline items out(std::uintptr_t address) { return {{address, access::inout}}; }
inline items set(std::uintptr_t address) { return {{address, access::inoutset}}; }
inline items all_memory() { return {{0, access::all_memory}}; }

inline items operator+(items some, const items& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// A node that is allocated on the heap by itself.
inline dependence_node& make_alone(omp::task* whose) {
  return *new dependence_node{whose, [](dependence_node& unused) noexcept { delete &unused; }};
}
/// The tasks that had to wait for it.
inline std::vector<dependence_node*> finished(dependence_node& node) {
  std::vector<dependence_node*> told;
  node.finish([&told](dependence_node& next) { told.push_back(&next); });
  return told;
}

/// The children of one task, by number. Checks that each node is deleted exactly once, and not
/// before its task has finished.
class dependence_graph : public testing::Test {
 protected:
  void SetUp() override { start_watching(); }
  void TearDown() override {
    finish_all();
    table_.reset();
    EXPECT_EQ(watch.deleted, watch.made) << "nodes are deleted once, when nothing refers to them";
    watch = {};
  }
  static void start_watching() {
    watch = {};
    watch.watches = true;
  }

  // Makes a task.
  std::size_t add(const items& of) {
    dependence_node& node = make_node();
    table_->link(node, of);
    node.end_linking();
    return nodes_.size() - 1;
  }
  // Begins a taskwait.
  std::size_t await(const items& of) {
    dependence_node& node = make_node();
    table_->wait_for_predecessors(node, of);
    node.end_linking();
    return nodes_.size() - 1;
  }
  [[nodiscard]] bool is_ready(std::size_t which) const { return !nodes_[which]->is_blocked(); }
  [[nodiscard]] bool is_finished(std::size_t which) const { return nodes_[which] == nullptr; }

  void finish(std::size_t which) {
    EXPECT_TRUE(is_ready(which)) << which;
    dependence_node* const node = nodes_[which];
    nodes_[which] = nullptr;
    for (dependence_node* const next : finished(*node)) {
      const bool was_last = next->unblock();
      EXPECT_EQ(was_last, !next->is_blocked());
      next->release();
    }
    node->release();
  }
  void finish_all() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_finished(i)) {
        finish(i);
      }
    }
  }
  // The unfinished tasks that are ready.
  [[nodiscard]] std::vector<std::size_t> ready() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_finished(i) && is_ready(i)) {
        all.push_back(i);
      }
    }
    return all;
  }

  std::unique_ptr<dependence_table> table_ = std::make_unique<dependence_table>();
  std::vector<dependence_node*> nodes_;

 private:
  dependence_node& make_node() {
    nodes_.push_back(&make_alone(nullptr));
    watch.nodes.at(watch.made) = nodes_.back();
    ++watch.made;
    return *nodes_.back();
  }
};

}  // namespace fg::test
