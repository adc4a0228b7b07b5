// Checkpoints of a run over MPI: files from which any number of ranks resumes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "finegrain/core/errors.hpp"
#include "finegrain/mpi/bag.hpp"
#include "finegrain/mpi/options.hpp"
#include "finegrain/mpi/post.hpp"
#include "finegrain/mpi/serial.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// What the main file of a checkpoint says: text, a line each.
struct manifest {
  std::uint64_t generation = 0;  // 0: there is none
  std::int32_t ranks = 0;
  std::int64_t bound = 0;

  [[nodiscard]] std::string text(const std::string& problem) const {
    return "finegrain checkpoint 1\n" + problem + "\n" + std::to_string(generation) + ' ' +
           std::to_string(ranks) + ' ' + std::to_string(bound) + "\n";
  }

  /// Throws std::runtime_error if `file` is another problem's, or no checkpoint.
  static manifest read(const std::string& file, const std::string& problem) {
    std::ifstream in{file};
    std::string kind;
    std::string of;
    manifest found;
    if (!std::getline(in, kind) || kind != "finegrain checkpoint 1" || !std::getline(in, of) ||
        !(in >> found.generation >> found.ranks >> found.bound) || found.generation == 0 ||
        found.ranks < 1) {
      fg::detail::raise(std::runtime_error{"finegrain: " + file + " is no checkpoint"});
    }
    if (of != problem) {
      fg::detail::raise(std::runtime_error{"finegrain: " + file + " is a checkpoint of '" +
                                           fg::detail::one_line(of) + "', not of '" +
                                           fg::detail::one_line(problem) + "'"});
    }
    return found;
  }
};

/// Writes a file that is complete on the disk afterwards. Throws std::system_error.
class durable_file {
 public:
  explicit durable_file(const std::string& name)
      : name_{name}, file_{::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)} {
    require(file_ >= 0);
  }
  ~durable_file() { ::close(file_); }
  durable_file(const durable_file&) = delete;
  durable_file& operator=(const durable_file&) = delete;

  void write(std::span<const std::byte> raw) const {
    while (!raw.empty()) {
      const ssize_t written = ::write(file_, raw.data(), raw.size());
      require(written > 0 || errno == EINTR);
      raw = raw.subspan(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
  }
  void sync() const { require(::fsync(file_) == 0); }

 private:
  void require(bool is_so) const {
    if (!is_so) {
      fg::detail::raise(std::system_error{errno, std::generic_category(), "finegrain: " + name_});
    }
  }

  std::string name_;
  int file_;
};

/// The files of one run. All ranks call its functions together, while nothing is in flight.
///
/// A checkpoint is one file for each rank, whose names contain a generation number, and the main file,
/// which names the generation that counts. That one is written under another name and renamed when all
/// ranks' files are on the disk: there is always one complete checkpoint, the old or the new one, at
/// whatever moment a rank dies.
class checkpoints {
 public:
  /// Looks for a checkpoint. Throws, on all ranks, std::runtime_error if there is one that is not of
  /// this problem, or the problem is not one line.
  checkpoints(post& all, const checkpoint_options& options) : all_{all}, options_{options} {
    together("read the checkpoint", [&] {
      if (options_.problem.find('\n') != std::string::npos) {
        fg::detail::raise(std::invalid_argument{"finegrain: a checkpoint's problem is one line"});
      }
      if (all_.rank() == 0 && is_wanted() && std::filesystem::exists(options_.path)) {
        last_ = manifest::read(options_.path, options_.problem);
      }
    });
    MPI_Bcast(&last_, sizeof last_, MPI_BYTE, 0, all_.all());
  }

  /// There is one to resume.
  [[nodiscard]] bool is_there() const noexcept { return last_.generation != 0; }
  /// The bound in it.
  [[nodiscard]] std::int64_t bound() const noexcept { return last_.bound; }

  /// Adds this rank's share of the checkpoint to the bag, which is empty. Throws, on all ranks,
  /// std::runtime_error if a file is missing or damaged.
  template <bag Bag>
  void load(Bag& own) const {
    together("read the checkpoint", [&] {
      for (int rank = all_.rank(); rank < last_.ranks; rank += all_.count()) {
        load_part(own, part_name(last_.generation, rank));
      }
    });
  }

  /// Writes all that the ranks' bags contain. If a rank cannot, it says why on standard error, and the
  /// last checkpoint remains.
  template <bag Bag>
  void save(Bag& own, std::int64_t bound) {
    const manifest next{last_.generation + 1, all_.count(), bound};
    part_of<Bag> items = own.split(own.size());
    bool is_saved = does([&] {
      save_part(own.result(), serial<part_of<Bag>>::write(items),
                part_name(next.generation, all_.rank()));
    });
    own.merge(std::move(items));  // whatever went wrong
    if (is_saved) {
      is_saved = does([&] {
        if (all_.rank() == 0) {
          commit(next);
        }
      });
    }
    if (is_saved) {
      last_ = next;
    }
    if (all_.rank() == 0) {
      remove_parts_but(last_.generation);
    }
  }

  /// All work is done.
  void remove() const {
    if (is_wanted() && all_.rank() == 0) {
      std::error_code ignored;
      std::filesystem::remove(options_.path, ignored);  // first: the others mean nothing without it
      std::filesystem::remove(new_name(), ignored);     // of a run that was ended while it wrote
      remove_parts_but(0);
    }
  }

  [[nodiscard]] bool is_wanted() const noexcept { return !options_.path.empty(); }

 private:
  struct part_header {
    std::array<char, 8> kind{'f', 'g', 'p', 'a', 'r', 't', '1', '\n'};
    std::uint64_t checksum = 0;  // of all that follows
    std::uint64_t result_bytes = 0;
    std::uint64_t part_bytes = 0;
  };

  [[nodiscard]] std::string part_name(std::uint64_t generation, int rank) const {
    return options_.path + '.' + std::to_string(generation) + '.' + std::to_string(rank);
  }
  [[nodiscard]] std::string new_name() const { return options_.path + ".new"; }

  // FNV-1a, of 64 bits.
  static std::uint64_t checksum(std::span<const std::byte> raw) noexcept {
    std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
    for (const std::byte each : raw) {
      sum = (sum ^ static_cast<std::uint64_t>(each)) * 0x100'0000'01b3;
    }
    return sum;
  }

  template <class Result>
  static void save_part(const Result& result, const bytes& items, const std::string& name) {
    const auto raw_result = std::as_bytes(std::span{&result, 1});
    bytes body{raw_result.begin(), raw_result.end()};
    body.insert(body.end(), items.begin(), items.end());
    const part_header header{
        .checksum = checksum(body), .result_bytes = sizeof result, .part_bytes = items.size()};
    const durable_file file{name};
    file.write(std::as_bytes(std::span{&header, 1}));
    file.write(body);
    file.sync();
  }

  template <class Bag>
  static void load_part(Bag& own, const std::string& name) {
    std::ifstream in{name, std::ios::binary};
    part_header header;
    result_of<Bag> result{};
    in.read(reinterpret_cast<char*>(&header), sizeof header);
    bool is_whole =
        in.good() && header.kind == part_header{}.kind && header.result_bytes == sizeof result &&
        header.part_bytes + sizeof header + sizeof result == std::filesystem::file_size(name);
    if (is_whole) {
      bytes body(header.result_bytes + header.part_bytes);
      in.read(reinterpret_cast<char*>(body.data()), static_cast<std::streamsize>(body.size()));
      is_whole = in.good() && checksum(body) == header.checksum;
      if (is_whole) {
        std::memcpy(&result, body.data(), sizeof result);
        own.reduce(result);
        own.merge(serial<part_of<Bag>>::read(std::span{body}.subspan(sizeof result)));
      }
    }
    if (!is_whole) {
      fg::detail::raise(
          std::runtime_error{"finegrain: " + name + " is missing, damaged, or of another type"});
    }
  }

  void commit(const manifest& next) const {
    const std::string text = next.text(options_.problem);
    {
      const durable_file file{new_name()};
      file.write(std::as_bytes(std::span{text}));
      file.sync();
    }
    std::filesystem::rename(new_name(), options_.path);
    const std::filesystem::path folder = folder_of(options_.path);
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) {
      ::fsync(opened);  // the renaming itself; some file systems refuse it
      ::close(opened);
    }
  }

  static std::filesystem::path folder_of(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  }

  // Also those of runs that were ended while they wrote.
  void remove_parts_but(std::uint64_t generation) const {
    const std::filesystem::path main{options_.path};
    const std::string start = main.filename().string() + '.';
    const std::string kept = start + std::to_string(generation) + '.';
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator{folder_of(main), ignored}) {
      const std::string name = each.path().filename().string();
      if (name.starts_with(start) && !name.starts_with(kept) &&
          name.find_first_not_of("0123456789.", start.size()) == std::string::npos) {
        std::filesystem::remove(each.path(), ignored);
      }
    }
  }

  // What went wrong here is the others' business, too: nobody may wait for this rank.
  template <class F>
  static std::string error_of(F&& f) {
#if FINEGRAIN_HAS_EXCEPTIONS
    try {
      f();
    } catch (const std::exception& error) {
      return error.what();
    }
#else
    f();
#endif
    return {};
  }
  [[nodiscard]] bool is_fine_everywhere(const std::string& error) const {
    int is_fine = error.empty() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_fine, 1, MPI_INT, MPI_MIN, all_.all());
    return is_fine != 0;
  }

  template <class F>
  void together(const char* what, F&& f) const {
    const std::string error = error_of(f);
    if (!is_fine_everywhere(error)) {
      fg::detail::raise(std::runtime_error{
          error.empty() ? std::string{"finegrain: another rank could not "} + what : error});
    }
  }
  template <class F>
  [[nodiscard]] bool does(F&& f) const {
    const std::string error = error_of(f);
    if (!error.empty()) {
      std::fprintf(stderr, "%s: there is no new checkpoint\n", error.c_str());
    }
    return is_fine_everywhere(error);
  }

  post& all_;
  const checkpoint_options& options_;
  manifest last_;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
