#include "exec/evaluation/failure.h"

#include <fmt/format.h>

#include "codegen/plan_description.h"
#include "cupola/error.h"

namespace cupola {

void rethrow_for(const Array& computed, const Node& node) {
  const std::string place = place_of(node.made_at).to_string();
  const std::string note = fmt::format(
      "\nwhile computing {}: {} of shape {}{}", operation_name(node), name_of(computed.dtype()),
      to_string(computed.shape()), place.empty() ? "" : ", asked for at " + place);
  try {
    throw;
  } catch (const OutOfMemoryError& error) {
    throw OutOfMemoryError(error.what() + note);
  } catch (const FaultError& error) {
    throw FaultError(error.what() + note, error.status());
  } catch (const DeviceError& error) {
    throw DeviceError(error.what() + note, error.status());
  } catch (const LaunchError& error) {
    throw LaunchError(error.what() + note);
  } catch (const CompileError& error) {
    throw CompileError(error.what() + note);
  } catch (const LibraryError& error) {
    throw LibraryError(error.what() + note);
  }
}

}  // namespace cupola
