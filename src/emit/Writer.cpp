// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Writer.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

namespace nereid::emit {

unsigned getColumns(llvm::StringRef text) {
  unsigned columns = 0;
  for (unsigned char c : text)
    columns += (c & 0xC0) != 0x80;
  return columns;
}

void Writer::line(llvm::StringRef content) {
  if (!content.empty())
    text.append(depth, ' ');
  text += content;
  text += '\n';
}

bool Writer::fits(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix) const {
  return depth + getColumns(prefix) + getColumns(code.str()) + getColumns(suffix) <= lineWidth;
}

bool Writer::opensBefore(llvm::StringRef prefix, const Code &code) const {
  if (code.getKind() != CodeKind::Call || code.getChildren()[0].getKind() != CodeKind::Suffix)
    return false;
  const Code &callee = code.getChildren()[0], &inner = callee.getChildren()[0];
  return inner.getKind() == CodeKind::Call && inner.getChildren().size() > 1 &&
         depth + getColumns(prefix) + getColumns(callee.str()) + 1 > lineWidth;
}

/// The operands of a run of operators of one precedence, each but the first after its operator.
static void flatten(const Code &code, Binding binding, std::vector<std::string> &lines) {
  if (code.getKind() != CodeKind::Binary || code.getBinding() != binding) {
    lines.push_back(code.str(binding));
    return;
  }
  Binding tighter = Binding(uint8_t(binding) + 1);
  flatten(code.getChildren()[0], binding, lines);
  lines.push_back(code.getText().str() + " " + code.getChildren()[1].str(tighter));
}

/// Prints short texts behind one another, as many as a line takes; some begin a line. Returns
/// whether that saves enough lines to be done.
bool Writer::fill(llvm::ArrayRef<std::string> parts, llvm::ArrayRef<size_t> starts) {
  constexpr size_t longest = 60, leastSaved = 3;
  std::vector<std::string> lines;
  for (auto [place, part] : llvm::enumerate(parts)) {
    if (getColumns(part) > longest || part.find('\n') != part.npos)
      return false;
    bool isStart = lines.empty() || llvm::is_contained(starts, place) ||
                   depth + getColumns(lines.back()) + getColumns(part) + 2 > lineWidth;
    if (isStart)
      lines.push_back(part + ",");
    else
      lines.back() += " " + part + ",";
  }
  if (parts.size() < lines.size() + leastSaved)
    return false;
  for (const std::string &each : lines)
    line(each);
  return isFilled = true;
}

/// Ends a statement.
void Writer::finish() {
  if (!isFilled)
    return;
  text.insert(text.size() - 1, "  # fmt: skip");
  isFilled = false;
}

void Writer::open(const std::string &head, const Code &whole, llvm::ArrayRef<Code> parts,
                  const std::string &tail, bool mayShareLine) {
  line(head);
  indent();
  std::string together;
  for (const Code &part : parts)
    together += (together.empty() ? "" : ", ") + whole.spellPart(part);
  std::vector<std::string> texts;
  llvm::SmallVector<size_t> starts;
  for (auto [place, part] : llvm::enumerate(parts)) {
    texts.push_back(whole.spellPart(part));
    bool isFirstKeyword =
        place > 0 && !part.getKeyword().empty() && parts[place - 1].getKeyword().empty();
    if (part.isOnNewLine() || isFirstKeyword)
      starts.push_back(place);
  }
  if (mayShareLine && depth + getColumns(together) <= lineWidth)
    line(together);
  else if (!fill(texts, starts))
    for (auto [part, whole] : llvm::zip_equal(parts, texts))
      print(llvm::StringRef(whole).drop_back(part.str().size()), part, ",");
  dedent();
  line(tail);
}

/// Opens a parenthesis with lines of names.
void Writer::openNames(llvm::StringRef head, llvm::ArrayRef<std::string> names) {
  line(head.str() + "(");
  indent();
  if (!fill(names, {}))
    for (const std::string &name : names)
      line(name + ",");
  dedent();
}

void Writer::assignment(llvm::ArrayRef<std::string> targets, const Code &code) {
  std::string joined = llvm::join(targets, ", ") + " = ";
  std::string opened = joined;
  if (code.getKind() == CodeKind::Call)
    opened += code.getChildren()[0].str(Binding::Atom) + "(";
  if (targets.size() < 2 || depth + getColumns(opened) <= lineWidth)
    return statement(joined, code);
  openNames("", targets);
  print(") = ", code, "");
  finish();
}

void Writer::deletion(llvm::ArrayRef<std::string> names) {
  std::string joined = "del " + llvm::join(names, ", ");
  if (names.size() < 2 || depth + getColumns(joined) <= lineWidth)
    return line(joined);
  openNames("del ", names);
  line(")");
  finish();
}

void Writer::comprehension(llvm::StringRef head, const Code &element, llvm::StringRef variables,
                           const Code &rows) {
  std::string over = "for " + variables.str() + " in ";
  std::string flat = head.str() + "(" + element.str() + " " + over + rows.str() + ")";
  if (depth + getColumns(flat) <= lineWidth)
    return line(flat);
  line(head.str() + "(");
  indent();
  std::string together = element.str() + " " + over + rows.str();
  if (depth + getColumns(together) <= lineWidth) {
    line(together);
  } else {
    print("", element, "");
    print(over, rows, "");
  }
  dedent();
  line(")");
  finish();
}

void Writer::statement(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix) {
  print(prefix, code, suffix);
  finish();
}

void Writer::print(llvm::StringRef prefix, const Code &code, llvm::StringRef suffix) {
  std::string head = prefix.str(), tail = suffix.str();
  llvm::ArrayRef<Code> children = code.getChildren();
  // What is taken of a call opens at the call's arguments.
  if (code.getKind() == CodeKind::Suffix && !fits(prefix, code, suffix) &&
      children[0].getKind() == CodeKind::Call && children[0].getChildren().size() > 1) {
    const Code &call = children[0];
    std::string taken = code.str().substr(call.str().size());
    return open(head + call.getChildren()[0].str(Binding::Atom) + "(", call,
                call.getChildren().drop_front(), ")" + taken + tail, true);
  }
  if (fits(prefix, code, suffix) || (children.size() < 2 && code.getKind() == CodeKind::Call) ||
      code.getKind() == CodeKind::Text || code.getKind() == CodeKind::Suffix)
    return line(head + code.str() + tail);
  if (opensBefore(prefix, code)) {
    const Code &inner = children[0].getChildren()[0];
    std::string last = code.str();
    return open(head + inner.getChildren()[0].str(Binding::Atom) + "(", inner,
                inner.getChildren().drop_front(), ")" + last.substr(inner.str().size()) + tail,
                true);
  }
  switch (code.getKind()) {
  case CodeKind::Call:
    return open(head + children[0].str(Binding::Atom) + "(", code, children.drop_front(),
                ")" + tail, true);
  case CodeKind::Tuple:
    return open(head + "(", code, children, ")" + tail, false);
  case CodeKind::List:
    return open(head + "[", code, children, "]" + tail, false);
  case CodeKind::Dict:
    return open(head + "{", code, children, "}" + tail, false);
  default:
    break;
  }
  // Within brackets operators open without parentheses of their own.
  if (prefix.empty() && suffix == ",") {
    std::vector<std::string> operands;
    flatten(code, code.getBinding(), operands);
    operands.back() += tail;
    for (const std::string &operand : operands)
      line(operand);
    return;
  }
  // Behind a single operator a call opens at its arguments.
  if (code.getKind() == CodeKind::Binary && children[1].getKind() == CodeKind::Call &&
      children[1].getChildren().size() > 1 &&
      (children[0].getKind() != CodeKind::Binary ||
       children[0].getBinding() != code.getBinding())) {
    const Code &call = children[1];
    std::string before = head + children[0].str(code.getBinding()) + " " + code.getText().str() +
                         " " + call.getChildren()[0].str(Binding::Atom) + "(";
    if (depth + getColumns(before) <= lineWidth)
      return open(before, call, call.getChildren().drop_front(), ")" + tail, true);
  }
  // Operators under `not` stand in parentheses as they are.
  bool isNegated =
      code.getKind() == CodeKind::Unary && children[0].getBinding() < code.getBinding();
  const Code &opened = isNegated ? children[0] : code;
  line(head + (isNegated ? code.getText().str() : "") + "(");
  indent();
  std::vector<std::string> operands = {opened.str()};
  if (!fits("", opened, "")) {
    operands.clear();
    flatten(opened, opened.getBinding(), operands);
  }
  for (const std::string &operand : operands)
    line(operand);
  dedent();
  line(")" + tail);
}

void Writer::definition(llvm::StringRef head, llvm::ArrayRef<Code> parameters,
                        llvm::StringRef tail) {
  Code whole = Code::call(head, parameters);
  if (fits("", whole, tail))
    return line(whole.str() + tail.str());
  // ruff's exception: one parameter beside a long result gets a line and a comma.
  open(head.str() + "(", whole, parameters, ")" + tail.str(), parameters.size() > 1);
  finish();
}

void Writer::definition(llvm::StringRef head, llvm::ArrayRef<std::string> parameters,
                        llvm::StringRef tail) {
  std::vector<Code> parts;
  for (const std::string &parameter : parameters)
    parts.push_back(Code::text(parameter));
  definition(head, parts, tail);
}

void Writer::docstring(llvm::StringRef content) {
  std::string safe;
  for (char c : content.trim()) {
    if (c == '\\')
      safe += '\\';
    safe += c == '"' ? '\'' : c;
  }
  std::string text = "\"\"\"";
  std::deque<std::string> wrapped;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(safe).split(lines, '\n');
  for (llvm::StringRef each : lines) {
    std::string margin(
        each.find_first_not_of(' ') == llvm::StringRef::npos ? 0 : each.find_first_not_of(' '),
        ' ');
    // Long lines are wrapped at spaces; the quotes stand before the first.
    for (unsigned before = &each == lines.begin() ? 3 : 0;; before = 0) {
      size_t room = lineWidth - depth - before, cut = each.rfind(' ', room + 1);
      bool fits = getColumns(each) <= room || cut == llvm::StringRef::npos || cut <= margin.size();
      text += (fits ? each : each.take_front(cut)).str() + "\n";
      if (fits)
        break;
      std::string rest = margin + each.drop_front(cut + 1).str();
      each = wrapped.emplace_back(std::move(rest));
    }
  }
  bool severalLines = llvm::StringRef(text).count('\n') > 1;
  block((severalLines ? text : text.substr(0, text.size() - 1)) + "\"\"\"");
}

void Writer::block(llvm::StringRef content) {
  llvm::SmallVector<llvm::StringRef> lines;
  content.rtrim('\n').split(lines, '\n');
  for (llvm::StringRef each : lines)
    line(each.rtrim());
}

} // namespace nereid::emit
