// Exceptions and Rust.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace fg::bench {

/// What a session's body has thrown, carried past Rust's frames.
class carried_exception {
 public:
  template <class Body>
  void catch_from(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
  }

 private:
  std::exception_ptr thrown_;
};

}  // namespace fg::bench
