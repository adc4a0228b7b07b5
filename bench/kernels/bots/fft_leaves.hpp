// The parts of a fast Fourier transform that make no tasks. Compiled once for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

/// A complex number without the standard's handling of infinities.
struct fft_value {
  double re = 0;
  double im = 0;
};

/// exp(-2 pi i k / count) for k < count / 2.
[[nodiscard]] std::vector<fft_value> roots_of_unity(std::size_t count);

/// Values between -1 and 1, the same each time.
[[nodiscard]] std::vector<fft_value> seeded_signal(std::uint64_t count);

/// Transforms in place, recursively; `scratch` has the same size. `roots` are those of `stride`
/// times as many values. Requires a power of two.
void transform_sequentially(std::span<fft_value> values, std::span<fft_value> scratch,
                            std::span<const fft_value> roots, std::size_t stride) noexcept;

/// Entries `begin` to `end` of both halves of `out`: the even ones of `values`, then the odd ones.
void split_even_and_odd(std::span<const fft_value> values, std::span<fft_value> out,
                        std::size_t begin, std::size_t end) noexcept;

/// Entries `begin` to `end` of both halves of `out`, from the transforms of the even and of the odd
/// values, which are the halves of `halves`.
void join_even_and_odd(std::span<const fft_value> halves, std::span<fft_value> out,
                       std::span<const fft_value> roots, std::size_t stride, std::size_t begin,
                       std::size_t end) noexcept;

/// The transform by another algorithm: bit reversal, then level by level.
[[nodiscard]] std::vector<fft_value> transformed_by_levels(std::vector<fft_value> values);

/// Nothing if the two are equal within the rounding error, else what differs. A transform of n
/// values of at most 1 has errors on the order of epsilon * log2(n) * sqrt(n).
[[nodiscard]] std::optional<std::string> spectral_difference(std::span<const fft_value> expected,
                                                             std::span<const fft_value> found);

}  // namespace fg::bench
