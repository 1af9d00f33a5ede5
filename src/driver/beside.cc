#include "driver/beside.h"

namespace cupola {
namespace {

struct Place {
  PlatformKind platform = PlatformKind::cpu;
  StreamHandle stream = nullptr;
};
thread_local Place place;

}  // namespace

BesideStream::BesideStream(PlatformKind platform, StreamHandle stream) noexcept {
  place = {platform, stream};
}

BesideStream::~BesideStream() { place = {}; }

StreamHandle beside_stream(PlatformKind platform) noexcept {
  return place.platform == platform ? place.stream : nullptr;
}

}  // namespace cupola
