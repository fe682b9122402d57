// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/BuildIdentity.h"
#include "support/Answers.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <elf.h>
#include <link.h>

using namespace llvm;

namespace nereid {

/// The build id among the notes of an executable (ELF: name and contents are padded to four bytes).
static std::string findBuildId(StringRef notes) {
  auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    memcpy(&head, notes.data(), sizeof(head));
    notes = notes.drop_front(sizeof(head));
    size_t name = padded(head.n_namesz), contents = padded(head.n_descsz);
    if (name + contents > notes.size())
      break;
    if (head.n_type == NT_GNU_BUILD_ID && notes.starts_with(StringRef("GNU", 4)))
      return notes.substr(name, head.n_descsz).str();
    notes = notes.drop_front(name + contents);
  }
  return "";
}

/// The executable is the first of what is loaded.
static int visitLoaded(dl_phdr_info *loaded, size_t, void *result) {
  for (const ElfW(Phdr) &part : ArrayRef(loaded->dlpi_phdr, loaded->dlpi_phnum)) {
    auto *begin = reinterpret_cast<const char *>(loaded->dlpi_addr + part.p_vaddr);
    std::string &id = *static_cast<std::string *>(result);
    if (part.p_type == PT_NOTE && id.empty())
      id = findBuildId({begin, part.p_memsz});
  }
  return 1;
}

std::string getBuildIdentity() {
  std::string id;
  dl_iterate_phdr(visitLoaded, &id);
  if (!id.empty())
    return id;
  auto contents = MemoryBuffer::getFile("/proc/self/exe", /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  Digest made = digest(contents ? (*contents)->getBuffer() : "");
  return contents ? std::string(made.begin(), made.end()) : "";
}

} // namespace nereid
