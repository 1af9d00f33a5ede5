#pragma once
// A folder that nobody but its owner, who runs this process, may write to.

#include <string>

#include "base/files/file_descriptor.h"

namespace cupola {

struct OpenedFolder {
  FileDescriptor folder;  // open where the folder is to be used
  // Why it must not be used: others could put something there. Empty where it is only not there or
  // not accessible.
  std::string objection;
};

// Opens the folder of an absolute path. With `make` it is made where it is missing, mode 0700, and
// so are the folders above it. Folders above that belong to neither this user nor root, or that
// everybody may write to (unless only owners may rename there, as in /tmp), are objected to.
OpenedFolder open_private_folder(const std::string& path, bool make);

}  // namespace cupola
