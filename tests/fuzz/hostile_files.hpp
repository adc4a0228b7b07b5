// A tree of files whose contents come from the input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <FuzzedDataProvider.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/fake_root.hpp"

namespace fg::test {

/// The files of a valid machine, and the same with other contents. The tree is made only once,
/// because that would take most of a run.
class hostile_files {
 public:
  struct file {
    std::string path;
    std::string content;
  };

  explicit hostile_files(std::vector<file> files) : files_{std::move(files)} {
    for (const file& each : files_) {
      root_.write(each.path, each.content);
    }
  }

  /// The tree, with a string of the input for each file, in order: an empty one leaves it
  /// unchanged, "!" removes it. In a corpus file a string ends with a backslash and a line feed.
  const fake_root& overwrite(FuzzedDataProvider& input) const {
    for (const file& each : files_) {
      const std::string said = input.ConsumeRandomLengthString(kLongest);
      if (said == "!") {
        root_.remove(each.path);
      } else {
        root_.write(each.path, said.empty() ? each.content : said);
      }
    }
    return root_;
  }

 private:
  static constexpr std::size_t kLongest = 512;
  std::vector<file> files_;
  fake_root root_;
};

}  // namespace fg::test
