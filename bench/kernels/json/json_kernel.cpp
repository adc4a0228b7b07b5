// SPDX-License-Identifier: Apache-2.0
#include "kernels/json/json_kernel.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "kernels/isolated_array.hpp"
#include "kernels/json/widget_check.hpp"

namespace fg::bench {
namespace {

using pool = rapidjson::MemoryPoolAllocator<>;
using document = rapidjson::GenericDocument<rapidjson::UTF8<>, pool, pool>;

/// The sample needs about 900 bytes of values and 2 KiB of stack.
constexpr std::size_t kPoolBytes = 8192;

class alignas(kIsolationBytes) json_kernel final : public kernel_instance {
 public:
  explicit json_kernel(std::string_view text)
      : text_(text.size() + 1),
        value_buffer_(kPoolBytes),
        stack_buffer_(kPoolBytes),
        values_(value_buffer_.data(), value_buffer_.size()),
        stack_(stack_buffer_.data(), stack_buffer_.size()),
        document_(&values_, kStackBytes, &stack_) {
    std::ranges::copy(text, text_.data());
    require_room();
    clear();
  }

  void run() noexcept override {
    // Drops the old tree before its memory; neither has anything to destroy.
    document_.SetNull();
    values_.Clear();
    stack_.Clear();
    document_.Parse(text_.data());
  }

  [[nodiscard]] std::optional<std::string> check() const override {
    if (document_.HasParseError()) {
      return "json: parse error at byte " + std::to_string(document_.GetErrorOffset());
    }
    return check_widget(document_);
  }

  void clear() noexcept override { document_.SetNull(); }

 private:
  /// RapidJSON's initial stack size; it takes it from the pool at the first value.
  static constexpr std::size_t kStackBytes = 1024;

  /// A pool that has outgrown its buffer has a second chunk, which shows in its capacity.
  void require_room() {
    run();
    if (values_.Capacity() > kPoolBytes || stack_.Capacity() > kPoolBytes) {
      throw std::invalid_argument("json: the text does not fit the kernel's buffers");
    }
  }

  isolated_array<char> text_;
  isolated_array<std::byte> value_buffer_;
  isolated_array<std::byte> stack_buffer_;
  pool values_;
  pool stack_;
  document document_;
};

}  // namespace

std::unique_ptr<kernel_instance> make_json_kernel(std::string_view text) {
  return std::make_unique<json_kernel>(text);
}

}  // namespace fg::bench
