// The class `cupola.Device` and what the process knows about its devices.

#include "cupola/device.h"

#include <exception>
#include <vector>

#include "base/threads/thread_owned.h"
#include "cupola/device_info.h"
#include "cupola/runtime.h"
#include "python/array/class_texts.h"
#include "python/devices/device_texts.h"
#include "python/functions/direct_function.h"

namespace cupola::python {
namespace {

// The devices to go back to, innermost last; a Device object may be entered by several threads.
struct DeviceScopes {
  std::vector<Device> outside;
};
std::vector<Device>& device_scopes() { return ThreadOwned<DeviceScopes>::get().outside; }

nb::object enter_device(nb::object self) {
  const Device device = nb::cast<Device>(self);
  check_device(device);
  const Device previous = current_device();
  set_current_device(device);
  device_scopes().push_back(previous);
  return self;
}

void leave_device(const Device&, const nb::args&) {
  if (device_scopes().empty()) return;
  set_current_device(device_scopes().back());
  device_scopes().pop_back();
}

nb::dict describe(const Device& device) {
  const DeviceDescription text = describe_device(device);
  nb::dict result;
  result["device"] = device.to_string();
  result["name"] = text.name;
  result["total_memory"] = text.total_memory;
  result["free_memory"] = text.free_memory;
  result["compute_capability"] = nb::make_tuple(text.compute_major, text.compute_minor);
  result["multiprocessors"] = text.multiprocessors;
  result["uuid"] = text.uuid;
  result["pci_bus_id"] = text.pci_bus_id;
  return result;
}

nb::tuple members_of(const Device& device) {
  nb::list members;
  for (std::size_t i = 0; i < device.member_count(); ++i) members.append(device.member(i));
  return nb::tuple(members);
}

// Also a list of devices, which become a set.
Device device_or_set_from(nb::handle object) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return device_from(object);
  std::vector<Device> members;
  for (const nb::handle member : object) members.push_back(device_from(member));
  return Device::of_members(members);
}

nb::dict attributes(const Device& device) {
  nb::dict result;
  for (const auto& [name, value] : device_attributes(device)) result[name.c_str()] = value;
  return result;
}

// The message of the device's fault, None while it is healthy.
nb::object fault_text(const Device& device) {
  const std::exception_ptr fault = device_fault(device);
  if (!fault) return nb::none();
  try {
    std::rethrow_exception(fault);
  } catch (const std::exception& error) {
    return nb::str(error.what());
  } catch (...) {
    return nb::str("an unknown exception");
  }
}

nb::tuple memory_info(const Device& device) {
  const DeviceDescription text = describe_device(device);
  return nb::make_tuple(text.free_memory, text.total_memory);
}

std::string capability(const Device& device) {
  const DeviceDescription text = describe_device(device);
  return std::to_string(text.compute_major) + std::to_string(text.compute_minor);
}

void synchronize_device(Device device) {
  Unlocked unlocked;
  synchronize(device);
}

PlatformKind platform_from(const std::string& name) {
  return Device::parse(name + ":0").platform();
}

void bind_queries(nb::module_& m) {
  m.def("describe_device", describe);
  m.def("has_context", [](const Device& device) { return has_context(device); });
  m.def("can_access_peer",
        [](const Device& device, const Device& peer) { return can_access_peer(device, peer); });
  m.def("driver_version",
        [](const std::string& platform) { return driver_version(platform_from(platform)); });
  m.def("runtime_version",
        [](const std::string& platform) { return runtime_version(platform_from(platform)); });
  m.def("clear_device_fault", [](const Device& device) { clear_device_fault(device); });
}

nb::object current_device_object() { return nb::cast(current_device()); }

void bind_functions(nb::module_& m) {
  DirectFunction<current_device_object>::define(
      m, {"current_device", "() -> Device",
          "The device on which the calling thread makes new arrays.\n\nReturns\n-------\nDevice\n\n"
          "Examples\n--------\n>>> import cupola as cp\n>>> with cp.Device(\"cpu:0\"):\n"
          "...     cp.current_device()\n<Device 'cpu:0'>"});
  m.def("set_current_device", [](nb::handle device) {
    const Device target = device_from(device);
    check_device(target);
    set_current_device(target);
  });
  m.def("default_platform", [] { return std::string(name_of(default_platform())); });
  m.def("device_count",
        [](const std::string& platform) { return device_count(platform_from(platform)); });
  m.def(
      "synchronize",
      [](nb::handle device) {
        synchronize_device(device.is_none() ? current_device() : device_from(device));
      },
      nb::arg("device") = nb::none());
  m.def("release_cached_memory", [](nb::handle device) {
    const Device target = device_from(device);
    Unlocked unlocked;
    return release_cached_memory(target);
  });
  m.def("memory_statistics", [](nb::handle device) {
    const MemoryStatistics statistics = memory_statistics(device_from(device));
    return nb::make_tuple(statistics.used, statistics.cached);
  });
  m.def("wait", [](nb::handle a) {
    const Array array = array_from(a);
    Unlocked unlocked;
    wait(array);
  });
}

}  // namespace

void bind_devices(nb::module_& m) {
  nb::class_<Device> cls(m, "Device", kDeviceText);
  cls.attr("__module__") = "cupola";
  cls.def(
      "__init__",
      [](Device* self, nb::handle device) {
        new (self) Device(device.is_none() ? current_device() : device_or_set_from(device));
      },
      nb::arg("device") = nb::none());
  cls.def_prop_ro(
      "id", [](const Device& self) { return self.index(); },
      "Number on its platform; of several devices as one, a number of this process for them.");
  cls.def_prop_ro("members", members_of,
                  "The devices that it stands for: one, unless it is a set such as \"cuda:0-3\".");
  cls.def_prop_ro(
      "is_set", [](const Device& self) { return self.is_set(); },
      "Whether it stands for several devices.");
  cls.def("__len__", [](const Device& self) { return self.member_count(); });
  cls.def("__iter__", [](const Device& self) { return nb::iter(members_of(self)); });
  cls.def("__getitem__", [](const Device& self, nb::object which) {
    return nb::object(members_of(self).attr("__getitem__")(which));
  });
  cls.def(
      "__contains__",
      [](const Device& self, nb::handle other) { return self.contains(device_from(other)); },
      nb::arg("device"), "Whether it is that device, or has it among its members.");
  cls.def_prop_ro(
      "platform", [](const Device& self) { return std::string(name_of(self.platform())); },
      "\"cpu\" or \"cuda\".");
  cls.def_prop_ro("attributes", attributes,
                  "CUDA's attributes of the device by name (\"WarpSize\"); on the CPU those of\n"
                  "kernels there.\n\n"
                  "Asking initialises CUDA, but makes no context.");
  cls.def_prop_ro(
      "name", [](const Device& self) { return describe_device(self).name; },
      "The platform's name of the device.");
  cls.def_prop_ro("mem_info", memory_info, "Free and total bytes of its memory.");
  cls.def_prop_ro("compute_capability", capability,
                  "Compute capability as a text, as in \"90\"; \"00\" on the CPU.");
  cls.def_prop_ro(
      "pci_bus_id", [](const Device& self) { return describe_device(self).pci_bus_id; },
      "PCI address; empty on the CPU.");
  cls.def_prop_ro(
      "uuid", [](const Device& self) { return describe_device(self).uuid; },
      "As in \"GPU-...\": what CUDA_VISIBLE_DEVICES knows the device by.");
  cls.def_prop_ro("fault", fault_text,
                  "What the device's work failed with, as a text; None while it is healthy.");
  cls.def_static(
      "available_gpus",
      [] {
        nb::list numbers;
        for (int i = 0; i < device_count(default_platform()); ++i) numbers.append(i);
        return numbers;
      },
      kAvailableGpusText);
  cls.def_static(
      "from_pci_bus_id",
      [](const nb::str& id) {
        return device_by_pci_bus_id(default_platform(), text_from(id, "pci_bus_id"));
      },
      nb::arg("pci_bus_id"), kFromPciBusIdText);
  cls.def(
      "synchronize", [](const Device& self) { synchronize_device(self); }, kDeviceSynchronizeText);
  cls.def(
      "use",
      [](const Device& self) {
        check_device(self);
        set_current_device(self);
      },
      kDeviceUseText);
  cls.def("__enter__", enter_device);
  cls.def("__exit__", leave_device);
  cls.def(
      "__eq__",
      [](const Device& self, nb::handle other) -> nb::object {
        Device* device = nullptr;
        if (!nb::try_cast(other, device) || !device) return nb::borrow(Py_NotImplemented);
        return nb::bool_(self == *device);
      },
      nb::arg("other").none());
  cls.def("__hash__", [](const Device& self) { return std::hash<Device>()(self); });
  cls.def("__int__", [](const Device& self) { return self.index(); });
  cls.def("__str__", [](const Device& self) { return self.to_string(); });
  cls.def("__repr__", [](const Device& self) { return "<Device '" + self.to_string() + "'>"; });
  cls.def("__reduce__", [](const Device& self) {
    return nb::make_tuple(nb::type<Device>(), nb::make_tuple(self.to_string()));
  });
  bind_functions(m);
  bind_queries(m);
}

}  // namespace cupola::python
