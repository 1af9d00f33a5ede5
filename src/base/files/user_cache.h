#pragma once
// The user's cache of compiled code, and of what was found out about the machine: one for the
// process, in a folder that all processes of the user share.
//
// CUPOLA_CACHE_DIR    the folder; else XDG_CACHE_HOME/cupola, else HOME/.cache/cupola. Nothing is
//                     kept where it is set and empty
// CUPOLA_CACHE_SIZE   bytes, or with K, M or G times 1024, its square or its cube; 1G
// CUPOLA_DISK_CACHE   0: nothing is kept
//
// They are read once, when the cache is first asked for.

#include "base/files/file_cache.h"

namespace cupola {

FileCache& user_cache();

// What the environment says now. Warns of a size that is none.
FileCacheSettings user_cache_settings();

}  // namespace cupola
