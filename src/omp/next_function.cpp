#include "next_function.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fg::omp {
namespace {

// By whose name a runtime may be loaded that is not in the global search order.
constexpr std::array kRuntimes{"libomp.so.5", "libomp.so", "libiomp5.so", "libgomp.so.1"};

}  // namespace

void* find_next_if_any(const char* name) noexcept {
  if (void* const next = dlsym(RTLD_NEXT, name)) {
    return next;
  }
  for (const char* runtime : kRuntimes) {
    // Not loaded by this; the handle is kept, as the address is.
    void* const loaded = dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded != nullptr) {
      if (void* const found = dlsym(loaded, name)) {
        return found;
      }
      dlclose(loaded);
    }
  }
  return nullptr;
}

void* find_next(const char* name) noexcept {
  void* const found = find_next_if_any(name);
  if (found == nullptr) {
    std::fprintf(stderr, "finegrain-omp: no OpenMP runtime below has %s\n", name);
    std::abort();
  }
  return found;
}

bool are_in_one_library(const void* function, const void* other) noexcept {
  Dl_info home{};
  Dl_info other_home{};
  return dladdr(function, &home) != 0 && dladdr(other, &other_home) != 0 &&
         home.dli_fbase == other_home.dli_fbase;
}

void* find_beside(const void* function, const char* name) noexcept {
  Dl_info home{};
  void* found = nullptr;
  if (dladdr(function, &home) != 0) {
    if (void* const library = dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      found = dlsym(library, name);
    }
  }
  return found != nullptr ? found : find_next(name);
}

}  // namespace fg::omp
