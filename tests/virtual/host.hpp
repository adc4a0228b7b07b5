// What takes the system's place for threads that are fibers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace virtual_threads {

/// Runs virtual threads, and answers what interposed.cpp intercepts of them: accesses to memory, the
/// allocator, thread_local variables, and the system's calls for threads. One at a time per process.
/// Except for `current`, `is_inside` and `owns` all functions are for virtual threads only.
class host {
 public:
  host(const host&) = delete;
  host& operator=(const host&) = delete;

  /// Null if there is none.
  static host* current() noexcept { return the_host; }

  /// Whether the calling code belongs to a virtual thread, so that its calls are intercepted.
  [[nodiscard]] bool is_inside() const noexcept { return inside_; }

  /// The number of the calling thread; the main one is 0.
  [[nodiscard]] virtual std::size_t thread() const noexcept = 0;
  /// Starts a thread and returns its number.
  virtual std::size_t start(std::function<void()> body) = 0;
  /// Waits for the end of a thread.
  virtual void join(std::size_t number) = 0;
  /// The thread waits for others in a loop, and has found nothing new.
  virtual void yield() = 0;

  /// An access that is not atomic.
  virtual void note_read(const void* address, std::size_t bytes) = 0;
  virtual void note_write(const void* address, std::size_t bytes) = 0;

  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void free(void* block) = 0;
  /// Whether it has allocated this block.
  [[nodiscard]] virtual bool owns(const void* block) const noexcept = 0;
  /// The calling thread's copy of a thread_local variable; `initial` null: zeros.
  virtual void* thread_local_of(const void* variable, std::size_t bytes, std::size_t alignment,
                                const void* initial) = 0;

  /// std::mutex.
  virtual void lock(const void* mutex) = 0;
  virtual bool try_lock(const void* mutex) = 0;
  virtual void unlock(const void* mutex) = 0;

 protected:
  host() noexcept { the_host = this; }
  virtual ~host() { the_host = nullptr; }

  /// While it lives, the calling code does not belong to a virtual thread.
  class own_code {
   public:
    explicit own_code(host& of) noexcept : of_{of}, before_{of.inside_} { of.inside_ = false; }
    own_code(const own_code&) = delete;
    own_code& operator=(const own_code&) = delete;
    ~own_code() { of_.inside_ = before_; }

   private:
    host& of_;
    bool before_;
  };

  bool inside_ = false;

 private:
  static inline host* the_host = nullptr;
};

}  // namespace virtual_threads
