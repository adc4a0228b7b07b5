// What the command wants to know of an ELF file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fg::omp_command {

/// Which machines can load a file.
struct elf_machine {
  int word_class = 0;  ///< ELFCLASS64 and its like
  int byte_order = 0;
  std::uint16_t architecture = 0;
  friend bool operator==(const elf_machine&, const elf_machine&) = default;
};

struct elf_facts {
  elf_machine machine;
  bool is_loadable = false;              ///< an executable or a shared object
  std::string interpreter;               ///< the dynamic linker; empty: statically linked
  std::vector<std::string> needed;       ///< the libraries that it names
  std::string soname;                    ///< what it is called by whom it is linked to, or empty
  std::string runtime_entry_of_its_own;  ///< an entry point of OpenMP's that it defines, or empty
};

/// Reads them by libelf, which checks all offsets. Throws std::runtime_error with what is wrong if
/// the file cannot be read, is no ELF file, or contradicts itself. Any thread.
[[nodiscard]] elf_facts read_elf(const std::string& path);

}  // namespace fg::omp_command
