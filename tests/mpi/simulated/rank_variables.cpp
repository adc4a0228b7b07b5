// A copy of each thread_local variable for each rank. SimGrid runs all ranks on one thread, and changes
// from one to another in the middle of MPI's calls. What ranks run is compiled with -femulated-tls, and
// linked with this.
// SPDX-License-Identifier: Apache-2.0
#include <simgrid/actor.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <utility>

namespace {

// As in GCC's runtime library.
struct emutls_control {
  std::size_t bytes;
  std::size_t alignment;
  void* copy;           // zero initially, and not used here
  const void* initial;  // null: zeros
};

void* new_copy(const emutls_control& of) {
  void* const made = ::operator new(of.bytes, std::align_val_t{of.alignment});
  of.initial != nullptr ? std::memcpy(made, of.initial, of.bytes) : std::memset(made, 0, of.bytes);
  return made;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the compiler's name
extern "C" void* __emutls_get_address(emutls_control* variable) {
  using key = std::pair<aid_t, const emutls_control*>;  // a rank, and a variable
  static std::map<key, void*> copies;                   // until the process ends
  void*& own = copies[{sg_actor_self_get_pid(), variable}];
  if (own == nullptr) {
    own = new_copy(*variable);
  }
  return own;
}
