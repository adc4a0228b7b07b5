// SPDX-License-Identifier: Apache-2.0
#include "reductions.hpp"

#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "../constructs.hpp"
#include "../settings.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/pause.hpp"

namespace fg::omp {
namespace {

struct line_deleter {
  void operator()(std::byte* bytes) const noexcept {
    ::operator delete(bytes, std::align_val_t{kCacheLineBytes});
  }
};
using line_bytes = std::unique_ptr<std::byte, line_deleter>;

line_bytes make_line_bytes(std::size_t count) {
  return line_bytes{
      static_cast<std::byte*>(::operator new(count, std::align_val_t{kCacheLineBytes}))};
}

/// The copies of one item: one per thread, each on cache lines of its own.
struct item_copies {
  kmpc::reduction_item item;
  std::size_t stride;
  line_bytes memory;
};

}  // namespace

/// The reductions of one clause, with the copies of all threads. Belongs to a taskgroup, or is
/// shared by the threads of a region.
struct shared_reductions {
  std::vector<item_copies> items;
  std::size_t threads;
  atomic<std::size_t> finished{0};  ///< threads that have finished with it, if they share it
};

/// The reductions of one taskgroup.
struct reduction_scope {
  shared_reductions* copies;
  std::vector<void*> shared;          ///< by item: this thread's variable
  atomic<shared_reductions*>* owner;  ///< the region's, if its threads share the copies; else null
  reduction_scope* next;
};

namespace kmpc {
namespace {

std::unique_ptr<shared_reductions> make_copies(const std::vector<reduction_item>& items,
                                               std::size_t threads) {
  auto made = std::make_unique<shared_reductions>();
  made->threads = threads;
  for (const reduction_item& item : items) {
    const std::size_t stride =
        (item.from.bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    made->items.push_back(
        {.item = item, .stride = stride, .memory = make_line_bytes(stride * threads)});
    const item_copies& copies = made->items.back();
    for (std::size_t thread = 0; thread < threads; ++thread) {
      void* const copy = copies.memory.get() + thread * stride;
      if (item.initialize_alone != nullptr) {
        item.initialize_alone(copy);
      } else if (item.from.initialize != nullptr) {
        item.from.initialize(copy,
                             item.from.original != nullptr ? item.from.original : item.from.shared);
      } else {
        std::memset(copy, 0, item.from.bytes);
      }
    }
  }
  return made;
}

std::vector<void*> shared_of(const std::vector<reduction_item>& items) {
  std::vector<void*> shared;
  shared.reserve(items.size());
  for (const reduction_item& item : items) {
    shared.push_back(item.from.shared);
  }
  return shared;
}

void add_scope(taskgroup& group, shared_reductions* copies, std::vector<void*> shared,
               atomic<shared_reductions*>* owner) {
  group.reductions = new reduction_scope{
      .copies = copies, .shared = std::move(shared), .owner = owner, .next = group.reductions};
}

// Combines all copies into this scope's variables.
void combine(const reduction_scope& scope) noexcept {
  for (std::size_t i = 0; i < scope.copies->items.size(); ++i) {
    const item_copies& copies = scope.copies->items[i];
    for (std::size_t thread = 0; thread < scope.copies->threads; ++thread) {
      void* const copy = copies.memory.get() + thread * copies.stride;
      copies.item.from.combine(scope.shared[i], copy);
      if (copies.item.from.finalize != nullptr) {
        copies.item.from.finalize(copy);
      }
    }
  }
}

void end_scope(reduction_scope& scope) noexcept {
  // Acquire-release: the last thread sees what the other threads' tasks have written to the copies.
  if (scope.owner == nullptr ||
      scope.copies->finished.fetch_add(1, memory_order_acq_rel) + 1 == scope.copies->threads) {
    combine(scope);
    if (scope.owner != nullptr) {
      scope.owner->store(nullptr, memory_order_relaxed);  // a barrier precedes its next use
    }
    delete scope.copies;
  }
}

// Whether `item` is this scope's variable or any thread's copy of it.
bool holds(const reduction_scope& scope, std::size_t i, const void* item) noexcept {
  const item_copies& copies = scope.copies->items[i];
  const std::byte* const first = copies.memory.get();
  const auto* const at = static_cast<const std::byte*>(item);
  return item == scope.shared[i] ||
         (at >= first && at < first + copies.stride * scope.copies->threads);
}

}  // namespace

std::vector<reduction_item> decode(std::int32_t count, const reduction_input* items) {
  std::vector<reduction_item> decoded;
  decoded.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    decoded.push_back({.from = items[i], .initialize_alone = nullptr});
  }
  return decoded;
}

std::vector<reduction_item> decode(std::int32_t count, const legacy_reduction_input* items) {
  std::vector<reduction_item> decoded;
  decoded.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    const legacy_reduction_input& item = items[i];
    decoded.push_back({.from = {.shared = item.shared,
                                .original = nullptr,
                                .bytes = item.bytes,
                                .initialize = nullptr,
                                .finalize = item.finalize,
                                .combine = item.combine,
                                .flags = item.flags},
                       .initialize_alone = item.initialize});
  }
  return decoded;
}

taskgroup* add_reductions(thread& self, const std::vector<reduction_item>& items) noexcept {
  taskgroup* const group = self.running->group;
  if (self.inner->at_once) {
    return group;  // the tasks use the original variables
  }
  try {
    std::vector<void*> shared = shared_of(items);
    auto copies = make_copies(items, self.inner->size);
    add_scope(*group, copies.get(), std::move(shared), nullptr);
    static_cast<void>(copies.release());
  } catch (const std::bad_alloc&) {
    end_without_memory("a reduction");
  }
  return group;
}

taskgroup* open_shared_reductions(thread& self, bool worksharing,
                                  const std::vector<reduction_item>& items) noexcept {
  taskgroup& group = open_taskgroup(self);
  if (self.inner->at_once) {
    return &group;
  }
  atomic<shared_reductions*>& owner = self.inner->region->reductions[worksharing ? 1 : 0];
  static std::mutex making;  // the first thread creates the copies for all
  try {
    std::vector<void*> shared = shared_of(items);
    const std::lock_guard hold{making};
    shared_reductions* copies = owner.load(memory_order_relaxed);  // the lock orders it
    if (copies == nullptr) {
      copies = make_copies(items, self.inner->size).release();
      owner.store(copies, memory_order_relaxed);
    }
    add_scope(group, copies, std::move(shared), &owner);
  } catch (const std::bad_alloc&) {
    end_without_memory("a reduction");
  }
  return &group;
}

void end_taskgroup(thread& self) noexcept {
  const taskgroup& group = *self.running->group;
  wait_for(self, group);
  for (reduction_scope* each = group.reductions; each != nullptr;) {
    reduction_scope* const next = each->next;
    end_scope(*each);
    delete each;
    each = next;
  }
  close_taskgroup(self);
}

void* private_copy(thread& self, taskgroup* from, void* item) noexcept {
  for (const taskgroup* group = from != nullptr ? from : self.running->group; group != nullptr;
       group = group->outer) {
    for (const reduction_scope* each = group->reductions; each != nullptr; each = each->next) {
      for (std::size_t i = 0; i < each->copies->items.size(); ++i) {
        if (holds(*each, i, item)) {
          const item_copies& copies = each->copies->items[i];
          return copies.memory.get() + self.inner->number * copies.stride;
        }
      }
    }
  }
  return item;  // a team of one
}

}  // namespace kmpc
}  // namespace fg::omp
