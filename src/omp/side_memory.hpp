// Memory for what few tasks have outside of their own block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "task_memory.hpp"

namespace fg::omp {

/// Per-thread allocator for objects of a few cache lines. They are recycled as tasks are
/// (task_memory.hpp) but counted separately: an object that outlives its task is no pending task.
/// Owner thread only.
class side_memory {
 public:
  side_memory() = default;
  side_memory(const side_memory&) = delete;
  side_memory& operator=(const side_memory&) = delete;

  /// Constructs a T. Returns null if memory runs out.
  template <class T, class... Arguments>
  T* make(Arguments&&... arguments) noexcept {
    void* const block = blocks_.take(kClassOf<T>, sizeof(homed<T>));
    return block != nullptr ? ::new (block) homed<T>{{std::forward<Arguments>(arguments)...}, this}
                            : nullptr;
  }

  /// Destroys an object that any thread's `make` has constructed and gives the block back to that
  /// thread, at the latest at the next `flush`.
  template <class T>
  void destroy(T& made) noexcept {
    auto& whole = static_cast<homed<T>&>(made);
    side_memory& home = *whole.home;
    whole.~homed<T>();
    if (&home == this) {
      blocks_.give_back(&whole, kClassOf<T>);
    } else {
      returned_.add(home.blocks_, &whole, kClassOf<T>);
    }
  }

  /// Gives back all blocks of other threads. Called before the thread idles or ends.
  void flush() noexcept { returned_.flush(); }

 private:
  template <class T>
  struct homed : T {
    side_memory* home;
  };
  template <class T>
  static constexpr std::uint8_t kClassOf = [] {
    constexpr std::uint8_t kClass = task_memory::class_for(sizeof(homed<T>));
    static_assert(kClass != task_memory::kAlone, "it would not be recycled");
    return kClass;
  }();

  task_memory blocks_;
  returned_tasks returned_;
};

}  // namespace fg::omp
