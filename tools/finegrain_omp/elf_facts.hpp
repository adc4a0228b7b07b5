// The properties of an ELF file that the command needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fg::omp_command {

/// The machines that can load a file.
struct elf_machine {
  int word_class = 0;  ///< for instance ELFCLASS64
  int byte_order = 0;
  std::uint16_t architecture = 0;
  friend bool operator==(const elf_machine&, const elf_machine&) = default;
};

struct elf_facts {
  elf_machine machine;
  bool is_loadable = false;              ///< an executable or a shared object
  std::string interpreter;               ///< the dynamic linker; empty: statically linked
  std::vector<std::string> needed;       ///< the libraries that it names
  std::string soname;                    ///< the name that files linked with it record, or empty
  std::string runtime_entry_of_its_own;  ///< an OpenMP runtime's entry point it defines, or empty
};

/// Reads them with libelf, which checks all offsets. Throws std::runtime_error, which says what is
/// wrong, if the file cannot be read, is no ELF file, or is inconsistent. Any thread.
[[nodiscard]] elf_facts read_elf(const std::string& path);

}  // namespace fg::omp_command
