// Before the program's first statement: what cannot be served by our own runtime is served by the
// drop-in over the native one, if there is one.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

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
constexpr std::string_view kOtherFile = "libfinegrain-omp.so";
constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
constexpr const char* kProgram = "/proc/self/exe";

std::string_view file_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> list) noexcept {
  return std::ranges::any_of(list,
                             [name](std::string_view each) { return name.starts_with(each); });
}

// Whether a call of this name belongs to an OpenMP runtime and is not served here. What concerns
// devices alone is left to another library, if one has it.
bool is_missing(const char* name) noexcept {
  if (!starts_with_any(name, {"GOMP_", "GOACC_", "__kmpc_", "omp_", "kmp_", "ompc_", "ompx_"})) {
    return false;
  }
  if (starts_with_any(name, {"GOMP_PLUGIN", "omp_target", "__kmpc_push_target_tripcount"}) &&
      dlsym(RTLD_DEFAULT, name) != nullptr) {
    return false;
  }
  return find_exported(name) == nullptr || is_refused(name);
}

bool is_gnus(const char* name) noexcept { return starts_with_any(name, {"GOMP_"}); }

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

  // The first such function, or null.
  [[nodiscard]] const char* first(bool (*is_such)(const char* name) noexcept) const noexcept {
    for (const list& one : {calls, data}) {
      const std::size_t count = one.first != nullptr ? one.bytes / sizeof(ElfW(Rela)) : 0;
      for (std::size_t i = 0; i < count; ++i) {
        const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(one.first[i].r_info)];
        const char* const name = names + symbol.st_name;
        if (symbol.st_shndx == SHN_UNDEF && is_such(name)) {
          return name;
        }
      }
    }
    return nullptr;
  }
};

// The first such function that a loaded file calls; null if there is none.
const char* find_call(bool (*is_such)(const char* name) noexcept) noexcept {
  struct search {
    bool (*is_such)(const char* name) noexcept;
    const char* found = nullptr;
  };
  search all{.is_such = is_such};
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, std::size_t /*bytes*/, void* of_all) {
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
            search& it = *static_cast<search*>(of_all);
            it.found =
                of.symbols != nullptr && of.names != nullptr ? of.first(it.is_such) : nullptr;
            return it.found != nullptr ? 1 : 0;
          }
        }
        return 0;
      },
      static_cast<void*>(&all));
  return all.found;
}

bool is_word(const char* value, const char* word) noexcept {
  return value != nullptr && strcasecmp(value, word) == 0;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Whether the process was started with this library. The dynamic linker lets a library that a program
// opens be found by others only after its initializers.
bool is_loaded_with_program() noexcept {
  constexpr const char* kEntry = "omp_get_supported_active_levels";
  void* const program = dlopen(nullptr, RTLD_LAZY);
  return program != nullptr && dlsym(program, kEntry) == find_exported(kEntry);
}

// Why the process should not be served here: an empty string if it should. `is_told`: the user has
// not asked for it.
std::string obstacle(bool& is_told) {
  is_told = false;
  if (const char* const mode = fg::detail::environment_variable("FINEGRAIN_OMP");
      is_word(mode, "tasks") || is_word(mode, "off")) {
    return std::string{"FINEGRAIN_OMP="} + mode;
  }
  if (!settings::instance().is_active()) {
    return std::string{settings::instance().why_passive()};
  }
  if (!is_loaded_with_program()) {
    return {};
  }
  if (variable(kPreload).find(kOtherFile) != std::string::npos) {
    return "libfinegrain-omp.so is preloaded";
  }
  is_told = true;
  if (const char* const name = find_call(&is_missing)) {
    return std::string{"the program calls "} + name;
  }
  return {};
}

// Whether the environment is to be read before the program begins, as GNU's runtime does. LLVM's reads
// it at its first call, before which some programs change it.
bool reads_environment_now() {
  return !is_loaded_with_program() || find_call(&is_gnus) != nullptr ||
         !variable("OMP_DISPLAY_ENV").empty() || !variable("KMP_SETTINGS").empty();
}

// LD_PRELOAD with the other library, in place of this one if it is preloaded.
std::string other_preload(const std::string& own_path) {
  std::string list = variable(kPreload);
  const std::size_t at = list.find(kOwnFile);
  if (at != std::string::npos) {
    return list.replace(at, kOwnFile.size(), kOtherFile);
  }
  if (list.find(kOtherFile) != std::string::npos) {
    return list;
  }
  std::error_code is_gone;
  // A link has a native runtime's name.
  std::string other = std::filesystem::canonical(own_path, is_gone);
  other.replace(other.rfind('/') + 1, kOwnFile.size(), kOtherFile);
  return list.empty() ? other : other + ":" + list;
}

// LD_LIBRARY_PATH without the folder where this library has the names of native ones.
std::string other_library_path(const std::string& own_path) {
  const std::filesystem::path own_folder = std::filesystem::path{own_path}.parent_path();
  std::string list = variable(kLibraryPath);
  if (file_of(own_path).starts_with(kOwnFile)) {
    return list;  // it is preloaded
  }
  list += ':';
  std::string kept;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = list.find_first_of(":;", begin);
    const std::string folder = list.substr(begin, end - begin);
    std::error_code is_none;
    if (!std::filesystem::equivalent(folder, own_folder, is_none)) {
      kept += folder + ':';
    }
    begin = end + 1;
  }
  return kept.substr(0, kept.empty() ? 0 : kept.size() - 1);
}

void set_or_unset(const char* name, const std::string& value) noexcept {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

// The first library that the program needs and that would not be found: by the dynamic linker's own
// list. Empty if it finds all, or cannot be asked.
std::string missing_library(char** argv) {
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0) {
    return {};
  }
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
  const bool runs = posix_spawn(&child, kProgram, &actions, nullptr, argv, environ) == 0;
  unsetenv("LD_TRACE_LOADED_OBJECTS");
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string list;
  char part[4096];
  for (ssize_t got = 0;
       (got = read(ends[0], part, sizeof part)) > 0 || (got < 0 && errno == EINTR);) {
    list.append(part, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  close(ends[0]);
  while (runs && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const std::size_t end = list.find(" => not found");
  const std::size_t begin =
      end != std::string::npos ? list.find_last_of(" \t\n", end - 1) + 1 : end;
  return end != std::string::npos ? list.substr(begin, end - begin) : "";
}

// Starts the program anew with the other library over a native runtime. Its own code has not run yet,
// but initializers of the libraries that it is linked with may have: they run once more. Returns why
// it cannot.
std::string start_anew(char** argv, const std::string& why, bool is_told) {
  Dl_info home{};
  if (!is_loaded_with_program() || dladdr(kOwnFile.data(), &home) == 0) {
    return "the program has opened this library itself";
  }
  const std::string wanted = variable("FINEGRAIN_OMP");
  const std::string preload = variable(kPreload);
  const std::string path = variable(kLibraryPath);
  const std::string other_path = other_library_path(home.dli_fname);
  if (other_path == path && preload.find(kOwnFile) == std::string::npos) {
    return std::string{home.dli_fname} + " is neither preloaded nor found by LD_LIBRARY_PATH";
  }
  set_or_unset(kPreload, other_preload(home.dli_fname));
  set_or_unset(kLibraryPath, other_path);
  std::string reason = missing_library(argv);
  if (reason.empty()) {
    if (is_told) {
      std::fprintf(stderr, "finegrain-omp: FINEGRAIN_OMP=tasks instead of all: %s\n", why.c_str());
      setenv("FINEGRAIN_OMP", "tasks", 1);  // "all" is what it may have been
    }
    execv(kProgram, argv);
    reason = "the program cannot be started anew";
  } else {
    reason = "there is no other " + reason;
  }
  set_or_unset("FINEGRAIN_OMP", wanted);
  set_or_unset(kPreload, preload);
  set_or_unset(kLibraryPath, path);
  return reason;
}

// The C library passes the program's arguments to initializers.
__attribute__((constructor)) void begin(int /*argc*/, char** argv,
                                        char** /*environment*/) noexcept {
  try {
    bool is_told = false;
    if (const std::string why = obstacle(is_told); !why.empty()) {
      const std::string reason = start_anew(argv, why, is_told);
      std::fprintf(stderr, "finegrain-omp: %s, but %s: OpenMP is served without a runtime below\n",
                   why.c_str(), reason.c_str());
      settings::activate();
    }
    if (reads_environment_now()) {
      if (environment().displays_itself) {
        display_environment(environment().displays_all);
      }
      if (environment().displays_settings) {
        display_settings();
      }
    }
    say("regions are served without a runtime below");
    static_cast<void>(is_passive());  // says the policy, and at exit what was served
  } catch (const std::exception&) {
    end_without_memory("the start");
  }
}

}  // namespace
}  // namespace fg::omp::runtime
