// SPDX-License-Identifier: Apache-2.0
#include "next_function.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace fg::omp {
namespace {

// Prefixes of the runtimes' file names. Copies that a package brings along begin with them, too,
// such as libgomp-a34b3233.so.1.0.0. LLVM's and Intel's runtimes also have GNU's entry points.
constexpr std::array<std::string_view, 3> kRuntimes{"libomp", "libiomp5", "libgomp"};
constexpr std::array<std::string_view, 3> kRuntimesOfGnu{"libgomp", "libomp", "libiomp5"};

bool is_file_of(std::string_view runtime, std::string_view path) noexcept {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with(runtime) && file.size() > runtime.size() &&
         (file[runtime.size()] == '.' || file[runtime.size()] == '-');
}

// Returns the loaded files. Copied, to do little under the lock of dl_iterate_phdr.
std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, std::size_t /*bytes*/, void* list) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(loaded->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

void* find_in(const std::string& file, const char* name) noexcept {
  // Loads nothing. The handle is kept if the function is found, because its address is kept.
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return nullptr;
  }
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    dlclose(library);
  }
  return found;
}

// Finds the function in the only private copy of this runtime. With two copies we could not tell
// which one a call is for, and neither knows the other's regions.
void* find_in_only(std::string_view runtime, const std::vector<std::string>& files,
                   const char* name) noexcept {
  void* first = nullptr;
  const char* path = nullptr;
  for (const std::string& file : files) {
    void* const found = is_file_of(runtime, file) ? find_in(file, name) : nullptr;
    if (first != nullptr && found != nullptr && found != first) {
      std::fprintf(stderr,
                   "finegrain-omp: %s and %s are loaded, each by a part of the program for itself: "
                   "run it without the drop-in\n",
                   path, file.c_str());
      std::abort();
    }
    if (first == nullptr && found != nullptr) {
      first = found;
      path = file.c_str();
    }
  }
  return first;
}

// Finds the function in a runtime that is not in the global search order.
void* find_private(const char* name) noexcept {
  try {
    const std::vector<std::string> files = loaded_files();
    for (const std::string_view runtime :
         std::string_view{name}.starts_with("GOMP_") ? kRuntimesOfGnu : kRuntimes) {
      if (void* const found = find_in_only(runtime, files, name)) {
        return found;
      }
    }
  } catch (const std::bad_alloc&) {
    end_without_memory("the list of libraries");
  }
  return nullptr;
}

bool lies_in(std::string_view runtime, const void* function) noexcept {
  Dl_info home{};
  return dladdr(function, &home) != 0 && is_file_of(runtime, home.dli_fname);
}

// Finds the function in the runtime that the library around `caller` was linked with; null if none.
void* find_in_needed(const void* caller, const char* name) noexcept {
  Dl_info home{};
  link_map* library = nullptr;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the function's interface
  if (dladdr1(caller, &home, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0) {
    return nullptr;
  }
  const char* strings = nullptr;
  for (const ElfW(Dyn)* each = library->l_ld; each->d_tag != DT_NULL; ++each) {
    if (each->d_tag == DT_STRTAB) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic linker has made it an address
      strings = reinterpret_cast<const char*>(each->d_un.d_ptr);
    }
  }
  for (const ElfW(Dyn)* each = library->l_ld; each->d_tag != DT_NULL; ++each) {
    for (const std::string_view runtime : kRuntimes) {
      if (each->d_tag == DT_NEEDED && is_file_of(runtime, strings + each->d_un.d_val)) {
        return find_in(strings + each->d_un.d_val, name);
      }
    }
  }
  return nullptr;
}

}  // namespace

bound_function find_for_caller(const void* caller, const char* name) noexcept {
  constexpr std::string_view kGnus = "libgomp";
  void* const next = dlsym(RTLD_NEXT, name);
  void* const needed = find_in_needed(caller, name);
  // By symbol versions: LLVM's runtime has GNU's too, GNU's does not have LLVM's.
  const bool is_needed =
      needed != nullptr && (next == nullptr || (lies_in(kGnus, next) && !lies_in(kGnus, needed)));
  void* const bound = is_needed ? needed : find_next(name);
  return {.address = bound, .is_gnus = lies_in(kGnus, bound)};
}

void* find_next_if_any(const char* name) noexcept {
  if (void* const next = dlsym(RTLD_NEXT, name)) {
    return next;
  }
  return find_private(name);
}

void* find_next(const char* name) noexcept {
  void* const found = find_next_if_any(name);
  if (found == nullptr) {
    std::fprintf(stderr, "finegrain-omp: no OpenMP runtime below has %s\n", name);
    std::abort();
  }
  return found;
}

bool owns_regions() noexcept { return false; }

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
