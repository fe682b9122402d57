// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What suggestions change in the text of one file. Whether that mends anything is not asked here.
#pragma once

#include "audit/Audit.h"
#include "upgrade/Edits.h"
#include "upgrade/Names.h"

namespace nereid::fix {

class FixText {
public:
  /// The file is Python: it was audited.
  explicit FixText(const SourceFile &source);

  /// The edits of a suggestion; nullopt with the reason in `problem`. `ListItem`s of one call are
  /// one list: `items` has them all.
  std::optional<std::vector<upgrade::Edit>> edit(const audit::Suggestion &suggestion,
                                                 llvm::ArrayRef<std::string> items,
                                                 std::string &problem) const;

private:
  using Edits = std::vector<upgrade::Edit>;
  const python::Call *findCall(uint32_t begin) const;
  llvm::StringRef textOf(const python::Node &node) const { return file->getText(node); }
  std::optional<Edits> widen(const audit::Suggestion &suggestion, std::string &problem) const;
  std::optional<Edits> mask(const python::Call &call, llvm::StringRef condition) const;
  std::optional<Edits> argument(const python::Call &call, const std::string &name,
                                const std::string &text, std::string &problem) const;
  std::optional<Edits> operand(const python::Call &call, const audit::Suggestion &suggestion,
                               std::string &problem) const;
  Edits remove(SourceRange comment) const;

  std::shared_ptr<const SourceFile> source;
  std::unique_ptr<python::ParsedFile> file;
  std::unique_ptr<upgrade::FileNames> names;
  /// What the file calls `triton.language`.
  std::string language;
};

} // namespace nereid::fix
