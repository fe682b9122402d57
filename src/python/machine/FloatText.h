// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of floats and strings as CPython writes it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nereid::machine {

/// repr() of a float: the shortest text that reads back to the same value.
std::string floatText(double value);
/// The formats e, f, g (and E, F, G) with a precision; `alternate` is the `#` of format().
std::string formatDouble(double value, char type, int precision, bool alternate);
/// float(text); nullopt when the text is no number.
std::optional<double> parseDouble(llvm::StringRef text);

std::string quoteText(llvm::StringRef text, bool ascii);
/// ascii() of what has this repr(): what is not ASCII gets escaped.
std::string asciiText(llvm::StringRef text);
uint32_t decodeCodePoint(llvm::StringRef text, size_t &at);
void encodeCodePoint(uint32_t code, std::string &out);

} // namespace nereid::machine
