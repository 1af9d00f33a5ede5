// Arrays as text: rows, brackets and what is left out.

#include <algorithm>
#include <ostream>

#include "core/layout.h"
#include "cupola/ops/index.h"
#include "cupola/printing.h"
#include "cupola/transfer.h"
#include "ops/element_text.h"

namespace cupola {

namespace {

constexpr std::int64_t kSummarized = 1000;  // more elements than these are not all shown
constexpr std::int64_t kEdge = 3;           // shown at the ends of an axis
constexpr std::size_t kLineWidth = 75;

// The elements at both ends of every axis.
Array edges_of(Array a) {
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    const std::int64_t extent = a.shape()[axis];
    if (extent <= 2 * kEdge) continue;
    const std::vector<std::int64_t> shown{0, 1, 2, extent - 3, extent - 2, extent - 1};
    a = take(a, from_vector(shown, a.device()), static_cast<std::int64_t>(axis));
  }
  return a;
}

class Layouter {
 public:
  Layouter(const Dims& shape, const Dims& shown, std::vector<std::string> elements)
      : shape_(shape), shown_(shown), elements_(std::move(elements)) {}

  std::string text() { return text_of(0, " ", kLineWidth); }

 private:
  // Of the elements from the next one on that lie along `axis` and those behind it.
  std::string text_of(std::size_t axis, const std::string& indent, std::size_t width) {
    const bool is_row = axis + 1 == shown_.size();
    const bool is_cut = shown_[axis] < shape_[axis];
    const std::string separator(shown_.size() - axis - 1, '\n');
    std::string text, line = indent;
    for (std::int64_t i = 0; i < shown_[axis]; ++i) {
      const bool is_last = i + 1 == shown_[axis];
      if (is_row) {
        if (is_cut && i == kEdge) add(text, line, "... ", width - 1, indent, 1);
        add(text, line, elements_[next_++] + (is_last ? "" : " "), width - 1, indent, !is_last);
      } else {
        if (is_cut && i == kEdge) text += indent + "..." + separator;
        text += indent + text_of(axis + 1, indent + " ", width - 1) + (is_last ? "" : separator);
      }
    }
    if (is_row) text += line;
    text.replace(0, indent.size(), 1, '[');
    text.push_back(']');
    return text;
  }

  // The last `trailing` characters may stand beyond the width.
  static void add(std::string& text, std::string& line, const std::string& word, std::size_t width,
                  const std::string& indent, std::size_t trailing) {
    if (line.size() + word.size() - trailing > width && line.size() > indent.size()) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
      line = indent;
    }
    line += word;
  }

  const Dims& shape_;
  const Dims& shown_;
  std::vector<std::string> elements_;
  std::size_t next_ = 0;
};

}  // namespace

std::string to_string(const Array& array) {
  if (array.size() == 0) return "[]";
  const Array shown = array.size() > kSummarized ? edges_of(array) : array;
  std::vector<std::byte> bytes(static_cast<std::size_t>(shown.nbytes()));
  to_host(shown, bytes.data(), byte_strides(c_strides(shown.shape()), shown.dtype()));
  if (array.rank() == 0) return Scalar::from_bytes(array.dtype(), bytes.data()).to_string();
  std::vector<std::string> elements =
      element_texts(array.dtype(), bytes.data(), static_cast<std::size_t>(shown.size()));
  return Layouter(array.shape(), shown.shape(), std::move(elements)).text();
}

std::ostream& operator<<(std::ostream& stream, const Array& array) {
  return stream << to_string(array);
}
std::ostream& operator<<(std::ostream& stream, const Dims& dims) {
  return stream << to_string(dims);
}
std::ostream& operator<<(std::ostream& stream, DType dtype) { return stream << name_of(dtype); }
std::ostream& operator<<(std::ostream& stream, const Device& device) {
  return stream << device.to_string();
}

}  // namespace cupola
