#include "base/files/archive.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <stdexcept>

#include "base/files/file_descriptor.h"

namespace cupola {
namespace {

// Whoever wants an entry takes a whole block apart, which takes 0.1 ms.
constexpr std::size_t kBlockBytes = 65536;
constexpr std::uint64_t kMaxEntries = 1 << 20;

// As it lies in the file; a machine of another byte order finds another magic number.
struct Header {
  std::uint64_t magic = 0x7372616c6f707563;
  std::uint64_t version = 1;
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;
  Hash128 checksum;  // of what lies between the header and the first block
};

template <typename T>
std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

template <typename T>
bool read_at(int file, std::uint64_t offset, T* target, std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  return ::pread(file, target, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  result.resize(size);
  return result;
}

FileDescriptor open_file(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

std::string make_archive(std::span<const ArchiveEntry> entries) {
  std::vector<Archive::Entry> index;
  std::vector<std::string> blocks;
  for (const ArchiveEntry& entry : entries) {
    if (blocks.empty() || blocks.back().size() >= kBlockBytes) blocks.emplace_back();
    index.push_back({entry.key, static_cast<std::uint32_t>(blocks.size() - 1),
                     static_cast<std::uint32_t>(blocks.back().size()), entry.bytes.size()});
    blocks.back() += entry.bytes;
  }
  using Entry = Archive::Entry;
  std::stable_sort(index.begin(), index.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
  index.erase(std::unique(index.begin(), index.end(),
                          [](const Entry& a, const Entry& b) { return a.key == b.key; }),
              index.end());

  std::vector<Archive::Block> table;
  std::string content;
  const std::uint64_t start = sizeof(Header) + index.size() * sizeof(Archive::Entry) +
                              blocks.size() * sizeof(Archive::Block);
  for (const std::string& block : blocks) {
    const std::string small = compressed(block);
    table.push_back({start + content.size(), static_cast<std::uint32_t>(small.size()),
                     static_cast<std::uint32_t>(block.size())});
    content += small;
  }
  const std::string tables = std::string(bytes_of(index)) + std::string(bytes_of(table));
  Header header;
  header.entries = index.size();
  header.blocks = table.size();
  header.checksum = hash128(tables);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + tables + content;
}

std::optional<Archive> Archive::open(const std::string& path) {
  const FileDescriptor file = open_file(path);
  Archive archive;
  archive.path_ = path;
  if (!file || !archive.read_index(file.get())) return std::nullopt;
  return archive;
}

bool Archive::read_index(int file) {
  const Header expected;
  Header header;
  if (!read_at(file, 0, &header, 1) || header.magic != expected.magic) return false;
  if (header.version != expected.version) return false;
  if (header.entries > kMaxEntries || header.blocks > kMaxEntries) return false;
  entries_.resize(header.entries);
  blocks_.resize(header.blocks);
  const std::uint64_t blocks_at = sizeof header + entries_.size() * sizeof(Entry);
  return read_at(file, sizeof header, entries_.data(), entries_.size()) &&
         read_at(file, blocks_at, blocks_.data(), blocks_.size()) &&
         hash128(std::string(bytes_of(entries_)) + std::string(bytes_of(blocks_))) ==
             header.checksum;
}

std::optional<std::string> Archive::read_block(const Block& block) const {
  const FileDescriptor file = open_file(path_);
  std::string small(block.compressed, '\0');
  if (!file || !read_at(file.get(), block.offset, small.data(), small.size())) return std::nullopt;
  std::string bytes(block.bytes, '\0');
  uLongf size = bytes.size();
  // It has a checksum of its own.
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(small.data()), small.size()) != Z_OK) {
    return std::nullopt;
  }
  if (size != bytes.size()) return std::nullopt;
  return bytes;
}

std::optional<std::string> Archive::find(const Hash128& key) const {
  const auto entry =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const Entry& each, const Hash128& wanted) { return each.key < wanted; });
  if (entry == entries_.end() || entry->key != key) return std::nullopt;
  if (entry->block >= blocks_.size()) return std::nullopt;
  const auto block = read_block(blocks_[entry->block]);
  if (!block || entry->offset > block->size() || entry->bytes > block->size() - entry->offset) {
    return std::nullopt;
  }
  return block->substr(entry->offset, entry->bytes);
}

}  // namespace cupola
