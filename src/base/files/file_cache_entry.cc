#include "base/files/file_cache_entry.h"

#include <cstdint>
#include <cstring>

#include "base/mutant.h"

namespace cupola {
namespace {

// As it lies in the file; a machine of another byte order finds another magic number.
struct Header {
  std::uint64_t magic = 0x6568636163706331;  // "1cpcache"
  std::uint64_t version = 1;
  Hash128 key;
  std::uint64_t size = 0;  // of the bytes behind it
  Hash128 checksum;        // of them
};
static_assert(sizeof(Header) == kEntryHeaderBytes);

Header header_of(const Hash128& key, std::string_view bytes) {
  Header header;
  header.key = key;
  header.size = bytes.size();
  header.checksum = hash128(bytes);
  return header;
}

}  // namespace

std::string entry_header(const Hash128& key, std::string_view bytes) {
  const Header header = header_of(key, bytes);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::optional<std::string> entry_bytes(const Hash128& key, std::string file) {
  if (file.size() < kEntryHeaderBytes) return std::nullopt;
  const Header expected = header_of(key, std::string_view(file).substr(kEntryHeaderBytes));
  const std::size_t compared =
      sizeof expected - (CUPOLA_MUTANT(ignore_checksum) ? sizeof expected.checksum : 0);
  if (std::memcmp(file.data(), &expected, compared) != 0) return std::nullopt;
  file.erase(0, kEntryHeaderBytes);
  return file;
}

}  // namespace cupola
