// Blocks of other workers, until they go back.
#pragma once

#include "finegrain/pool/task_blocks.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Collects blocks that this worker has of others, and gives them back by the batch. It collects
/// for one owner at a time. What it keeps its owner lacks: `flush` has to be called before the
/// worker idles. All functions: the collecting worker only; constant time.
class returned_blocks {
 public:
  returned_blocks() = default;
  returned_blocks(const returned_blocks&) = delete;
  returned_blocks& operator=(const returned_blocks&) = delete;

  /// Keeps `block`, one of `owner`'s, which lives at least until the next `flush`.
  void add(task_blocks& owner, void* block) noexcept {
    if (owner_ != &owner || batch_->is_full()) {
      flush();
      owner_ = &owner;
      batch_ = task_blocks::begin_batch(block);
    } else {
      owner.add(*batch_, block);
    }
  }

  /// Gives back what it has.
  void flush() noexcept {
    if (owner_ != nullptr) {
      owner_->give_back_from_afar(*batch_);
      owner_ = nullptr;
    }
  }

 private:
  task_blocks* owner_ = nullptr;  // null: nothing kept
  task_blocks::batch* batch_ = nullptr;
};

}  // namespace fg::inline FINEGRAIN_ABI
