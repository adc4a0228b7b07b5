// SPDX-License-Identifier: Apache-2.0
#include "place_list.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "text_reader.hpp"

namespace fg::omp::runtime {
namespace {

constexpr int kCpus = 1 << 16;  // as many as Linux can have
constexpr std::size_t kMostPlaces = 1U << 16U;
constexpr std::size_t kMostInPlaces = std::size_t{1} << 20U;

// How often what is before it is repeated, at which distance: `:length:stride`.
struct interval {
  int length = 1;
  int stride = 1;
};

// Without one: once. Empty if there is something else.
std::optional<interval> read_interval(text_reader& in) noexcept {
  interval found;
  if (!in.take(':')) {
    return found;
  }
  const std::optional<int> length = in.number();
  if (!length || *length == 0) {
    return std::nullopt;
  }
  found.length = *length;
  if (in.take(':')) {
    const std::optional<int> stride = in.signed_number();
    if (!stride) {
      return std::nullopt;
    }
    found.stride = *stride;
  }
  return found;
}

bool is_cpu(std::int64_t number) noexcept { return number >= 0 && number < kCpus; }

void set_in_order(place& all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

void add_cpus(place& to, int first, interval times) {
  constexpr std::size_t kMostUnordered = 2 * std::size_t{kCpus};  // a long text may repeat itself
  const int count = times.stride == 0 ? 1 : times.length;
  std::int64_t cpu = first;
  for (int i = 0; i < count && is_cpu(cpu); ++i, cpu += times.stride) {
    to.push_back(static_cast<int>(cpu));
  }
  if (to.size() > kMostUnordered) {
    set_in_order(to);
  }
}

// What is between the braces, up to the last one.
std::optional<place> read_resources(text_reader& in) {
  place found;
  do {
    const bool is_excluded = in.take('!');
    const std::optional<int> first = in.number();
    if (!first) {
      return std::nullopt;
    }
    if (is_excluded) {
      std::erase(found, *first);
      continue;
    }
    const std::optional<interval> times = read_interval(in);
    if (!times) {
      return std::nullopt;
    }
    add_cpus(found, *first, *times);
  } while (in.take(','));
  set_in_order(found);
  return in.take('}') ? std::optional{std::move(found)} : std::nullopt;
}

std::optional<place> read_place(text_reader& in) {
  if (in.take('{')) {
    return read_resources(in);
  }
  const std::optional<int> cpu = in.number();
  return cpu ? std::optional{is_cpu(*cpu) ? place{*cpu} : place{}} : std::nullopt;
}

// Places, as far as there is room for them.
class collected {
 public:
  // False if there are too many of them.
  bool add(place one) {
    if (one.empty()) {
      return true;
    }
    cpus_ += one.size();
    places_.push_back(std::move(one));
    return places_.size() <= kMostPlaces && cpus_ <= kMostInPlaces;
  }
  bool add_shifted(const place& first, interval times) {
    for (std::int64_t i = 0; i < times.length; ++i) {
      place next;
      for (const int cpu : first) {
        if (const std::int64_t shifted = cpu + i * times.stride; is_cpu(shifted)) {
          next.push_back(static_cast<int>(shifted));
        }
      }
      if (next.empty()) {
        break;  // those that follow are further away, or come after one that is no CPU
      }
      if (!add(std::move(next))) {
        return false;
      }
    }
    return true;
  }
  void remove(const place& one) { std::erase(places_, one); }

  std::optional<std::vector<place>> take() && {
    return places_.empty() ? std::nullopt : std::optional{std::move(places_)};
  }

 private:
  std::vector<place> places_;
  std::size_t cpus_ = 0;  // in all of them
};

// first[-last[:stride]]
bool read_range(text_reader& in, int first, place& into) {
  if (!in.take('-')) {
    add_cpus(into, first, {});
    return true;
  }
  const std::optional<int> last = in.number();
  const std::optional<int> stride = in.take(':') ? in.number() : std::optional{1};
  if (!last || *last < first || !stride || *stride == 0) {
    return false;
  }
  add_cpus(into, first, {.length = (*last - first) / *stride + 1, .stride = *stride});
  return true;
}

std::optional<place> read_cpus_in_braces(text_reader& in) {
  place found;
  do {
    const std::optional<int> cpu = in.number();
    if (!cpu || !read_range(in, *cpu, found)) {
      return std::nullopt;
    }
  } while (in.take(','));
  set_in_order(found);
  return in.take('}') ? std::optional{std::move(found)} : std::nullopt;
}

}  // namespace

std::optional<named_places> read_named_places(std::string_view text) noexcept {
  text_reader in{text};
  const std::string_view word = in.word();
  for (const abstract_places each :
       {abstract_places::threads, abstract_places::cores, abstract_places::ll_caches,
        abstract_places::numa_domains, abstract_places::sockets}) {
    if (!is_word(word, to_string(each))) {
      continue;
    }
    named_places found{.name = each, .most = {}, .is_whole = in.is_at_end()};
    if (!found.is_whole && in.take('(')) {
      const std::optional<int> most = in.number();
      found.is_whole = most && *most != 0 && in.take(')') && in.is_at_end();
      if (found.is_whole) {
        found.most = static_cast<std::size_t>(*most);
      }
    }
    return found;
  }
  return std::nullopt;
}

std::optional<std::vector<place>> read_place_list(std::string_view text) {
  text_reader in{text};
  collected all;
  do {
    const bool is_excluded = in.take('!');
    const std::optional<place> one = read_place(in);
    if (!one) {
      return std::nullopt;
    }
    if (is_excluded) {
      all.remove(*one);
      continue;
    }
    const std::optional<interval> times = read_interval(in);
    if (!times || !all.add_shifted(*one, *times)) {
      return std::nullopt;
    }
  } while (in.take(','));
  return in.is_at_end() ? std::move(all).take() : std::nullopt;
}

std::optional<std::vector<place>> read_cpu_places(std::string_view text) {
  text_reader in{text};
  collected all;
  while (!in.is_at_end()) {
    if (in.take('{')) {
      std::optional<place> one = read_cpus_in_braces(in);
      if (!one || !all.add(*std::move(one))) {
        return std::nullopt;
      }
    } else {
      const std::optional<int> first = in.number();
      place each;
      if (!first || !read_range(in, *first, each)) {
        return std::nullopt;
      }
      for (const int cpu : each) {
        if (!all.add({cpu})) {
          return std::nullopt;
        }
      }
    }
    if (in.take(',') && in.is_at_end()) {
      return std::nullopt;
    }
  }
  return std::move(all).take();
}

}  // namespace fg::omp::runtime
