// SPDX-License-Identifier: Apache-2.0
#include "kernels/json/widget_check.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace fg::bench {
namespace {

using rapidjson::Value;

using member_value = std::variant<int, std::string_view>;

struct member {
  constexpr member(std::string_view its_name, member_value its_value)
      : name(its_name), value(its_value) {}

  std::string_view name;
  member_value value;
};

constexpr member kWindow[] = {
    {"title", "Sample Konfabulator Widget"},
    {"name", "main_window"},
    {"width", 500},
    {"height", 500},
};
constexpr member kImage[] = {
    {"src", "Images/Sun.png"}, {"name", "sun1"},        {"hOffset", 250},
    {"vOffset", 250},          {"alignment", "center"},
};
constexpr member kText[] = {
    {"data", "Click Here"},  {"size", 36},
    {"style", "bold"},       {"name", "text1"},
    {"hOffset", 250},        {"vOffset", 100},
    {"alignment", "center"}, {"onMouseUp", "sun1.opacity = (sun1.opacity / 100) * 90;"},
};

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// The value of `object`'s member `name`, or null if there is none.
const Value* find(const Value& object, std::string_view name) {
  for (auto it = object.MemberBegin(); it != object.MemberEnd(); ++it) {
    if (text_of(it->name) == name) {
      return &it->value;
    }
  }
  return nullptr;
}

bool is_equal(const Value& found, const member& expected) {
  if (const int* number = std::get_if<int>(&expected.value)) {
    return found.IsInt() && found.GetInt() == *number;
  }
  return found.IsString() && text_of(found) == std::get<std::string_view>(expected.value);
}

std::string wrong(std::string_view name) {
  return "json: '" + std::string(name) + "' is missing or wrong";
}

/// The object `name` in `parent`, if it has exactly `num_members`; else null.
const Value* find_object(const Value& parent, std::string_view name, std::size_t num_members) {
  const Value* object = find(parent, name);
  const bool is_right =
      object != nullptr && object->IsObject() && object->MemberCount() == num_members;
  return is_right ? object : nullptr;
}

std::optional<std::string> check_part(const Value& widget, std::string_view name,
                                      std::span<const member> members) {
  const Value* part = find_object(widget, name, members.size());
  if (part == nullptr) {
    return wrong(name);
  }
  for (const member& expected : members) {
    const Value* found = find(*part, expected.name);
    if (found == nullptr || !is_equal(*found, expected)) {
      return wrong(std::string(name) + "." + std::string(expected.name));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_widget(const Value& root) {
  if (!root.IsObject() || root.MemberCount() != 1) {
    return "json: the document is no object with one member";
  }
  const Value* widget = find_object(root, "widget", 4);
  if (widget == nullptr) {
    return wrong("widget");
  }
  const Value* debug = find(*widget, "debug");
  if (debug == nullptr || !is_equal(*debug, {"debug", "on"})) {
    return wrong("debug");
  }
  for (const auto& [name, members] :
       {std::pair<std::string_view, std::span<const member>>{"window", kWindow},
        {"image", kImage},
        {"text", kText}}) {
    if (auto error = check_part(*widget, name, members)) {
      return error;
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
