// Unbalanced Tree Search as a bag of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <finegrain/mpi/bag.hpp>

#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"

namespace examples {

/// The nodes of which neither they nor anything below has been counted, and the counts.
class uts_search : public fg::mpi::stack_bag<fg::bench::uts::node, fg::bench::uts::count> {
 public:
  uts_search(const fg::bench::uts::tree_spec& tree, bool has_root) : tree_{&tree} {
    if (has_root) {
      items.push_back(fg::bench::uts::root(tree));
    }
  }

  std::size_t process(std::size_t most) {
    fg::bench::uts::count found;
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const fg::bench::uts::node parent = items.back();
      items.pop_back();
      const std::uint32_t children = fg::bench::uts::children(*tree_, parent);
      found += {1, children == 0 ? 1U : 0U, parent.depth};
      for (std::uint32_t child = 0; child != children; ++child) {
        items.push_back(fg::bench::uts::child(*tree_, parent, child));
      }
    }
    sum += found;
    return done;
  }

 private:
  const fg::bench::uts::tree_spec* tree_;
};

}  // namespace examples
