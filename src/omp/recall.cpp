// SPDX-License-Identifier: Apache-2.0
#include "recall.hpp"

#include <algorithm>
#include <new>

namespace fg::omp::recall {
namespace {

constexpr std::uint64_t kHolds = 3;  // of the queue, the list, and the thread that retires it

}  // namespace

bool list(thread& self, task& made) noexcept {
  try {
    self.listed.push_back(&made);
  } catch (const std::bad_alloc&) {
    return false;
  }
  made.flags |= task::kListed;
  made.local_children = kHolds * children::kHold;
  return true;
}

void unlist(thread& self, task& made) noexcept {
  self.listed.pop_back();
  made.flags &= static_cast<std::uint16_t>(~task::kListed);
  made.local_children = 0;
}

task* take(thread& self, const task* ancestor) noexcept {
  std::vector<task*>& listed = self.listed;
  const task& begun = ancestor != nullptr ? *ancestor : self.inner->implicit;
  const std::size_t below = begun.listed_below;
  while (listed.size() > below) {
    task& newest = *listed.back();
    listed.pop_back();
    if (newest.try_claim(self.id)) {
      newest.local_children -= children::kHold;  // the list's
      return &newest;
    }
    drop_hold(self, newest);
  }
  return nullptr;
}

bool claim_queued(thread& self, task& found) noexcept {
  if (!found.is(task::kListed)) {
    return true;
  }
  if (found.try_claim(self.id)) {
    found.local_children -= children::kHold;  // the queue's
    return true;
  }
  drop_hold(self, found);
  return false;
}

void unclaim(task& found) noexcept {
  if (found.is(task::kListed)) {
    found.local_children += children::kHold;
    found.give_up_claim();
  }
}

void sweep(thread& self) noexcept {
  std::vector<task*>& listed = self.listed;
  const auto first = listed.begin() + static_cast<std::ptrdiff_t>(self.running->listed_below);
  const auto kept = std::remove_if(first, listed.end(), [&self](task* each) {
    const bool claimed = each->runner.load(memory_order_relaxed) != 0;  // a hint
    if (claimed) {
      drop_hold(self, *each);
    }
    return claimed;
  });
  listed.erase(kept, listed.end());
}

void forget(thread& self) noexcept {
  std::vector<task*>& listed = self.listed;
  for (; listed.size() > self.inner->implicit.listed_below; listed.pop_back()) {
    drop_hold(self, *listed.back());
  }
}

}  // namespace fg::omp::recall
