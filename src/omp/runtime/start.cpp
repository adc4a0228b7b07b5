// Before the program's first statement: what cannot be served by our own runtime is served by the
// drop-in over the native one.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "../settings.hpp"
#include "../takeover.hpp"
#include "below.hpp"
#include "control_values.hpp"
#include "display_env.hpp"
#include "finegrain/core/environment.hpp"
#include "refused.hpp"

namespace fg::omp::runtime {
namespace {

constexpr std::string_view kOwnFile = "libfinegrain-omp-all.so";
constexpr const char* kOtherFile = "libfinegrain-omp.so";

std::string_view file_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> list) noexcept {
  return std::ranges::any_of(list,
                             [name](std::string_view each) { return name.starts_with(each); });
}

// Whether a call of this name belongs to an OpenMP runtime and is not served here. What concerns
// devices alone is left to the native runtime, if there is one.
bool is_missing(const char* name) noexcept {
  return starts_with_any(name, {"GOMP_", "__kmpc_", "omp_", "kmp_", "ompc_", "ompx_"}) &&
         !starts_with_any(name, {"GOMP_target", "GOMP_offload", "GOMP_PLUGIN", "omp_target",
                                 "omp_get_mapped_ptr", "__kmpc_push_target_tripcount"}) &&
         (find_exported(name) == nullptr || is_refused(name));
}

// The parts of a loaded file's dynamic section that tell what it calls.
struct imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  struct list {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };
  list calls;
  list data;

  explicit imports(const ElfW(Dyn) * each) noexcept {
    // NOLINTBEGIN(performance-no-int-to-ptr): the dynamic linker has made them addresses
    for (; each->d_tag != DT_NULL; ++each) {
      switch (each->d_tag) {
        case DT_SYMTAB:
          symbols = reinterpret_cast<const ElfW(Sym)*>(each->d_un.d_ptr);
          break;
        case DT_STRTAB:
          names = reinterpret_cast<const char*>(each->d_un.d_ptr);
          break;
        case DT_JMPREL:
          calls.first = reinterpret_cast<const ElfW(Rela)*>(each->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          calls.bytes = each->d_un.d_val;
          break;
        case DT_RELA:
          data.first = reinterpret_cast<const ElfW(Rela)*>(each->d_un.d_ptr);
          break;
        case DT_RELASZ:
          data.bytes = each->d_un.d_val;
          break;
        default:
          break;
      }
    }
    // NOLINTEND(performance-no-int-to-ptr)
  }

  // The first that is not served, or null.
  [[nodiscard]] const char* missing() const noexcept {
    for (const list& one : {calls, data}) {
      const std::size_t count = one.first != nullptr ? one.bytes / sizeof(ElfW(Rela)) : 0;
      for (std::size_t i = 0; i < count; ++i) {
        const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(one.first[i].r_info)];
        const char* const name = names + symbol.st_name;
        if (symbol.st_shndx == SHN_UNDEF && is_missing(name)) {
          return name;
        }
      }
    }
    return nullptr;
  }
};

// The first function that a loaded file calls and that is not served; null if there is none.
const char* missing_function() noexcept {
  const char* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, std::size_t /*bytes*/, void* answer) {
        // The runtimes call their own functions; the system's page has no addresses in its section.
        if (starts_with_any(file_of(loaded->dlpi_name),
                            {"libgomp", "libomp", "libiomp5", kOwnFile, "linux-vdso"})) {
          return 0;
        }
        for (int i = 0; i < loaded->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = loaded->dlpi_phdr[i];
          if (header.p_type == PT_DYNAMIC) {
            const imports of{
                // NOLINTNEXTLINE(performance-no-int-to-ptr): an address, as the interface has it
                reinterpret_cast<const ElfW(Dyn)*>(loaded->dlpi_addr + header.p_vaddr)};
            const char*& first = *static_cast<const char**>(answer);
            first = of.symbols != nullptr && of.names != nullptr ? of.missing() : nullptr;
            return first != nullptr ? 1 : 0;
          }
        }
        return 0;
      },
      static_cast<void*>(&found));
  return found;
}

bool is_word(const char* value, const char* word) noexcept {
  return value != nullptr && strcasecmp(value, word) == 0;
}

// Why the process cannot be served here: an empty string if it can. `is_told`: the user has not
// asked for it.
std::string obstacle(bool& is_told) {
  is_told = false;
  if (const char* const mode = fg::detail::environment_variable("FINEGRAIN_OMP");
      is_word(mode, "tasks") || is_word(mode, "off")) {
    return mode;
  }
  if (!settings::instance().is_active()) {
    return "the drop-in is passive";
  }
  is_told = true;
  if (const char* const name = missing_function()) {
    return "the program calls " + std::string{name};
  }
  return {};
}

// LD_PRELOAD with the other library in place of this one; empty if this one is not there.
std::string other_preload() {
  const char* const preload = std::getenv("LD_PRELOAD");
  std::string list = preload != nullptr ? preload : "";
  const std::size_t at = list.find(kOwnFile);
  if (at == std::string::npos) {
    return {};
  }
  return list.replace(at, kOwnFile.size(), kOtherFile);
}

// Starts the program anew with the other library. Its own code has not run yet, but initializers of
// the libraries that it is linked with may have: they run once more.
void start_anew(char** argv, const std::string& why, bool is_told) {
  const std::string preload = other_preload();
  if (is_told) {
    std::fprintf(stderr, "finegrain-omp: FINEGRAIN_OMP=tasks instead of all: %s\n", why.c_str());
  }
  if (is_told) {
    setenv("FINEGRAIN_OMP", "tasks", 1);  // "all" is what it may have been
  }
  if (preload.empty() || setenv("LD_PRELOAD", preload.c_str(), 1) != 0 ||
      execv("/proc/self/exe", argv) != 0) {
    std::fprintf(stderr, "finegrain-omp: it cannot be loaded: run the program with %s\n",
                 kOtherFile);
    std::_Exit(EXIT_FAILURE);
  }
}

// The C library passes the program's arguments to initializers.
__attribute__((constructor)) void begin(int /*argc*/, char** argv,
                                        char** /*environment*/) noexcept {
  try {
    bool is_told = false;
    if (const std::string why = obstacle(is_told); !why.empty()) {
      start_anew(argv, why, is_told);
    }
    if (environment().displays_itself) {
      display_environment(environment().displays_all);
    }
    say("regions are served without a runtime below");
    static_cast<void>(is_passive());  // says the policy, and at exit what was served
  } catch (const std::exception&) {
    end_without_memory("the start");
  }
}

}  // namespace
}  // namespace fg::omp::runtime
