// The text that the json kernel parses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fg::bench {

/// The widget sample of json.org's examples, which the Relic paper parses: its text as shown there,
/// except for blanks at the ends of two lines.
inline constexpr std::string_view kWidgetSample = R"json({"widget": {
    "debug": "on",
    "window": {
        "title": "Sample Konfabulator Widget",
        "name": "main_window",
        "width": 500,
        "height": 500
    },
    "image": {
        "src": "Images/Sun.png",
        "name": "sun1",
        "hOffset": 250,
        "vOffset": 250,
        "alignment": "center"
    },
    "text": {
        "data": "Click Here",
        "size": 36,
        "style": "bold",
        "name": "text1",
        "hOffset": 250,
        "vOffset": 100,
        "alignment": "center",
        "onMouseUp": "sun1.opacity = (sun1.opacity / 100) * 90;"
    }
}}
)json";

}  // namespace fg::bench
