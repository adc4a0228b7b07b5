// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/elf_facts.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace fg::omp_command {
namespace {

// Functions that each runtime has, and that no program defines for another purpose.
constexpr std::array<std::string_view, 2> kRuntimeEntries{"GOMP_parallel", "__kmpc_fork_call"};

[[noreturn]] void complain(const std::string& what) {
  const char* const reason = elf_errmsg(-1);
  throw std::runtime_error{what + (reason != nullptr ? std::string{": "} + reason : "")};
}

class open_file {
 public:
  explicit open_file(const std::string& path)
      : descriptor_{open(path.c_str(), O_RDONLY | O_CLOEXEC)} {
    if (descriptor_ < 0) {
      throw std::runtime_error{std::string{"it cannot be read: "} + std::strerror(errno)};
    }
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() { close(descriptor_); }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::uint64_t size() const {
    struct stat status{};
    if (fstat(descriptor_, &status) != 0) {
      throw std::runtime_error{std::string{"it cannot be read: "} + std::strerror(errno)};
    }
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int descriptor_;
};

struct end_elf {
  void operator()(Elf* elf) const noexcept { elf_end(elf); }
};
using elf_handle = std::unique_ptr<Elf, end_elf>;

// Returns the string at `offset` of a string section.
std::string_view text_at(Elf* elf, std::size_t section, std::size_t offset) {
  const char* const text = elf_strptr(elf, section, offset);
  if (text == nullptr) {
    complain("a name lies outside its table");
  }
  return text;
}

// libelf finds no sections in a file that ends before their headers do.
GElf_Ehdr header_of(Elf* elf, std::uint64_t file_size) {
  GElf_Ehdr header{};
  if (gelf_getehdr(elf, &header) == nullptr) {
    complain("its header is broken");
  }
  const std::uint64_t sections = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff > file_size || sections > file_size - header.e_shoff) {
    throw std::runtime_error{"it is cut short"};
  }
  return header;
}

std::optional<GElf_Phdr> find_segment(Elf* elf, GElf_Word type) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0 || count > std::numeric_limits<int>::max()) {
    complain("its program headers are broken");
  }
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment{};
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) {
      complain("a program header is broken");
    }
    if (segment.p_type == type) {
      return segment;
    }
  }
  return std::nullopt;
}

std::string interpreter_of(Elf* elf) {
  const std::optional<GElf_Phdr> segment = find_segment(elf, PT_INTERP);
  if (!segment) {
    return {};
  }
  Elf_Data* const data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment->p_offset),
                                              segment->p_filesz, ELF_T_BYTE);
  if (data == nullptr || data->d_buf == nullptr) {
    complain("the name of its dynamic linker lies outside the file");
  }
  const std::string_view bytes{static_cast<const char*>(data->d_buf), data->d_size};
  const std::string_view name = bytes.substr(0, bytes.find('\0'));
  if (name.empty()) {
    throw std::runtime_error{"the name of its dynamic linker is empty"};
  }
  return std::string{name};
}

struct table {
  Elf_Data* data;
  std::size_t strings;  // the section with its names
  int entries;
};

table table_of(Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0 ||
      data->d_size / header.sh_entsize > std::numeric_limits<int>::max()) {
    complain("a table of it is broken");
  }
  return {data, header.sh_link, static_cast<int>(data->d_size / header.sh_entsize)};
}

void read_names(Elf* elf, const table& dynamic, elf_facts& facts) {
  for (int i = 0; i < dynamic.entries; ++i) {
    GElf_Dyn entry{};
    if (gelf_getdyn(dynamic.data, i, &entry) == nullptr) {
      complain("its dynamic table is broken");
    }
    if (entry.d_tag == DT_NULL) {
      return;
    }
    if (entry.d_tag == DT_NEEDED) {
      facts.needed.emplace_back(text_at(elf, dynamic.strings, entry.d_un.d_val));
    } else if (entry.d_tag == DT_SONAME) {
      facts.soname = text_at(elf, dynamic.strings, entry.d_un.d_val);
    }
  }
}

void read_symbols(Elf* elf, const table& symbols, elf_facts& facts) {
  for (int i = 0; i < symbols.entries; ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(symbols.data, i, &symbol) == nullptr) {
      complain("a symbol table is broken");
    }
    if (symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    const std::string_view name = text_at(elf, symbols.strings, symbol.st_name);
    if (std::ranges::find(kRuntimeEntries, name) != kRuntimeEntries.end()) {
      facts.runtime_entry_of_its_own = name;
      return;
    }
  }
}

}  // namespace

elf_facts read_elf(const std::string& path) {
  if (elf_version(EV_CURRENT) == EV_NONE) {
    complain("libelf is of another version");
  }
  const open_file file{path};
  const elf_handle elf{elf_begin(file.descriptor(), ELF_C_READ, nullptr)};
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) {
    throw std::runtime_error{"it is no ELF file"};
  }
  const GElf_Ehdr header = header_of(elf.get(), file.size());
  elf_facts facts;
  facts.machine = {header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine};
  facts.is_loadable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  facts.interpreter = interpreter_of(elf.get());
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr section_header{};
    if (gelf_getshdr(section, &section_header) == nullptr) {
      complain("a section header is broken");
    }
    if (section_header.sh_type == SHT_DYNAMIC) {
      read_names(elf.get(), table_of(section, section_header), facts);
    } else if (section_header.sh_type == SHT_SYMTAB || section_header.sh_type == SHT_DYNSYM) {
      read_symbols(elf.get(), table_of(section, section_header), facts);
    }
  }
  return facts;
}

}  // namespace fg::omp_command
