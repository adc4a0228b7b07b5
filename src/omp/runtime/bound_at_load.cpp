// SPDX-License-Identifier: Apache-2.0
#include "bound_at_load.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace fg::omp::runtime {
namespace {

const void* library_of(const void* address) noexcept {
  Dl_info home{};
  return dladdr(address, &home) != 0 ? home.dli_fbase : nullptr;
}

// GNU's runtime if it is loaded, and not this library under its name.
class native_library {
 public:
  native_library() noexcept : handle_{dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD)} {}
  native_library(const native_library&) = delete;
  native_library& operator=(const native_library&) = delete;
  ~native_library() {
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }
  template <class Signature>
  [[nodiscard]] Signature* find(const char* name) const noexcept {
    void* const found = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
    static const char own = 0;
    return library_of(found) != library_of(&own) ? reinterpret_cast<Signature*>(found) : nullptr;
  }

 private:
  void* handle_;
};

}  // namespace

bound_at_load find_bound_at_load() {
  const native_library native;
  auto* const count_places = native.find<int()>("omp_get_num_places");
  auto* const count_cpus = native.find<int()>("omp_get_num_procs");
  auto* const count_in = native.find<int(int)>("omp_get_place_num_procs");
  auto* const list = native.find<void(int, int*)>("omp_get_place_proc_ids");
  if (count_places == nullptr || count_cpus == nullptr || count_in == nullptr || list == nullptr) {
    return {};
  }
  std::set<int> cpus;
  for (int place = 0; place < count_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(count_in(place), 0)));
    list(place, ids.data());
    cpus.insert(ids.begin(), ids.end());
  }
  return {.cpus = {cpus.begin(), cpus.end()}, .all = cpus.empty() ? 0 : count_cpus()};
}

}  // namespace fg::omp::runtime
