"""cp.cuda.texture and the runtime's CUDA arrays, memory pools and opened events."""

import ctypes
import gc
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.cuda_packages import cuda_folder
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.marks import one_device

pytestmark = pytest.mark.cupola_only

if hasattr(cp, "errors"):
    from cupola.cuda import _cuda_arrays, _driver_calls, texture
    from cupola.cuda import _driver_structures as driver
    from cupola.cuda._runtime import structures

    runtime = cp.cuda.runtime
    FLOAT = runtime.cudaChannelFormatKindFloat
    OF_DRIVER = {
        name: vars(driver)[name]
        for name in (
            *("CUDA_ARRAY3D_DESCRIPTOR", "CUDA_MEMCPY3D", "CUDA_RESOURCE_DESC"),
            *("CUDA_TEXTURE_DESC", "CUmemLocation", "CUmemPoolProps", "CUipcEventHandle"),
        )
    }
    OF_RUNTIME = {
        f"struct {name}": vars(structures)[name]
        for name in (
            *("cudaChannelFormatDesc", "cudaResourceDesc", "cudaTextureDesc", "cudaPos"),
            *("cudaPitchedPtr", "cudaExtent", "cudaMemcpy3DParms"),
        )
    }

on_cpu_only = pytest.mark.skipif(on_cuda(), reason="of the CPU platform")
needs_cuda = pytest.mark.skipif(not on_cuda(), reason="needs a CUDA device")


# ---- structures against the headers


def header_folder(name: str) -> Path | None:
    """Of a header of CUDA's, which includes others."""
    for folder in (cuda_folder(name, "include"), Path("/usr/local/cuda/include")):
        needed = (name, "crt/host_defines.h") if name == "cuda_runtime_api.h" else (name,)
        if folder is not None and all((Path(folder) / each).exists() for each in needed):
            return Path(folder)
    return None


def fields_of(structure: Any, prefix: str = "", start: int = 0) -> dict[str, int]:
    """Offsets of fields by their path."""
    found = {}
    for name, kind in structure._fields_:
        offset = start + getattr(structure, name).offset
        found[prefix + name] = offset
        if issubclass(kind, ctypes.Structure | ctypes.Union):
            found |= fields_of(kind, prefix + name + ".", offset)
    return found


def offsets_in_c(structures: dict[str, Any], header: str, folder: Path, where: Path) -> list[str]:
    lines = ["#include <stddef.h>", "#include <stdio.h>", f"#include <{header}>", "int main(void){"]
    for name, structure in structures.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field in fields_of(structure):
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
    source, program = where / "offsets.c", where / "offsets"
    source.write_text("\n".join([*lines, "return 0;}"]))
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, f"-I{folder}", str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("header", ["cuda.h", "cuda_runtime_api.h"])
def test_structures_are_those_of_the_header(header: str, tmp_path: Path) -> None:
    folder = header_folder(header)
    if folder is None:
        pytest.skip("needs CUDA's headers")
    own = OF_DRIVER if header == "cuda.h" else OF_RUNTIME
    found = dict(line.rsplit(" ", 1) for line in offsets_in_c(own, header, folder, tmp_path))
    for name, structure in own.items():
        if name != "struct cudaResourceDesc":  # CUDA 13's is longer
            assert int(found[name]) == ctypes.sizeof(structure), name
        for field, offset in fields_of(structure).items():
            assert int(found[f"{name}.{field}"]) == offset, f"{name}.{field}"


# ---- descriptors


def test_formats_of_channels() -> None:
    for bits, kind, expected in [
        ((32, 0, 0, 0), FLOAT, (0x20, 1)),
        ((16, 16, 0, 0), FLOAT, (0x10, 2)),
        ((8, 8, 8, 8), runtime.cudaChannelFormatKindUnsigned, (0x01, 4)),
        ((32, 32, 0, 0), runtime.cudaChannelFormatKindSigned, (0x0A, 2)),
    ]:
        desc = texture.ChannelFormatDescriptor(*bits, kind)
        assert structures.channels_of(desc._desc) == expected
        assert structures.element_bytes(*expected) == sum(bits) // 8
        again = structures.cudaChannelFormatDesc.from_address(desc.ptr)
        assert desc.get_channel_format()["f"] == again.f == kind
    for bits, kind in [((8, 8, 8, 0), 0), ((8, 16, 0, 0), 0), ((8, 0, 0, 0), FLOAT), ((0,) * 4, 0)]:
        with pytest.raises(ValueError, match="no CUDA array has channels"):
            structures.channels_of(texture.ChannelFormatDescriptor(*bits, kind)._desc)


def test_textures_of_the_driver() -> None:
    desc = texture.TextureDescriptor(
        (runtime.cudaAddressModeClamp, runtime.cudaAddressModeBorder),
        runtime.cudaFilterModeLinear,
        runtime.cudaReadModeNormalizedFloat,
        sRGB=1,
        borderColors=(0.5, 2.0),
        normalizedCoords=1,
        maxAnisotropy=4,
    )
    known = desc.get_texture_desc()
    assert known["addressMode"] == (1, 3, 0)
    assert known["borderColor"] == (0.5, 2.0, 0, 0)
    made = structures.texture_of(structures.cudaTextureDesc.from_address(desc.ptr))
    assert (list(made.addressMode), list(made.borderColor)) == ([1, 3, 0], [0.5, 2.0, 0, 0])
    assert (made.filterMode, made.maxAnisotropy) == (1, 4)
    assert made.flags == driver.NORMALIZED_COORDINATES | driver.SRGB
    assert structures.texture_of(texture.TextureDescriptor()._desc).flags == driver.READ_AS_INTEGER
    with pytest.raises(ValueError, match="up to 3 addressModes"):
        texture.TextureDescriptor((0,) * 4)


def test_resources_of_arrays() -> None:
    array = cp.arange(64, dtype=cp.float32).reshape(4, 16)
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, FLOAT)
    linear = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=array, chDesc=channel, sizeInBytes=256
    )
    made = structures.resource_of(structures.cudaResourceDesc.from_address(linear.ptr)).res.linear
    assert (made.devPtr, made.sizeInBytes) == (array.data.ptr, 256)
    assert (made.format, made.numChannels) == (0x20, 1)
    assert linear.get_resource_desc()["arr"] is array
    pitched = texture.ResourceDescriptor(
        *(runtime.cudaResourceTypePitch2D, None, array, channel),
        width=16,
        height=4,
        pitchInBytes=64,
    )
    made = structures.resource_of(pitched._desc).res.pitch2D
    assert (made.width, made.height, made.pitchInBytes) == (16, 4, 64)
    for bad in (
        {"arr": array, "chDesc": channel, "sizeInBytes": 257},
        {"arr": array.T, "chDesc": channel, "sizeInBytes": 256},
        {"arr": array},
    ):
        with pytest.raises(ValueError, match="arr"):
            texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, **bad)
    with pytest.raises(ValueError, match="restype"):
        texture.ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray)


# ---- calls, with a stand-in for the driver


class Driver:
    """Records calls; handles count up."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        def function(*arguments: Any) -> int:
            plain = [getattr(each, "_obj", each) for each in arguments]
            if name.endswith(("Create", "Create_v2", "PoolAsync", "MemPool", "OpenEventHandle")):
                plain[0].value = 0x1000 + len(self.calls)
            copies = [type(each).from_buffer_copy(each) for each in plain if each is not None]
            self.calls.append((name, tuple(copies)))
            return 0

        return function

    def named(self, name: str) -> list[tuple[Any, ...]]:
        return [arguments for called, arguments in self.calls if called == name]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Driver:
    made = Driver()
    monkeypatch.setattr(_driver_calls, "_libraries", [made])
    monkeypatch.setattr(_driver_calls, "_contexts", {})
    monkeypatch.setattr(_driver_calls, "require_cuda", lambda *_: None)
    monkeypatch.setattr(_cuda_arrays, "require_one_device", lambda what: 0)
    return made


@on_cpu_only
def test_arrays_and_objects_are_made_copied_and_destroyed(stand_in: Driver) -> None:
    channel = texture.ChannelFormatDescriptor(16, 16, 0, 0, FLOAT)
    array = texture.CUDAarray(channel, 8, 4, 2, runtime.cudaArraySurfaceLoadStore)
    (made,) = (each[1] for each in stand_in.named("cuArray3DCreate_v2"))
    assert (made.Width, made.Height, made.Depth, made.Flags) == (8, 4, 2, 2)
    assert (array.ndim, array.width, array.height, array.depth) == (3, 8, 4, 2)
    values = np.zeros((2, 4, 16), np.float16)
    array.copy_from(values)
    array.copy_to(on_device := cp.zeros((2, 4, 16), np.float16, device=0))
    array.copy_from(on_device[:, ::-1])
    into, out, turned = (each[0] for each in stand_in.named("cuMemcpy3DAsync_v2"))
    assert (turned.srcMemoryType, turned.dstArray) == (driver.MEMORY_DEVICE, array.ptr)
    assert turned.srcDevice not in (0, on_device.data.ptr)
    assert (into.srcMemoryType, into.dstMemoryType) == (driver.MEMORY_HOST, driver.MEMORY_ARRAY)
    assert (into.srcHost, into.dstArray) == (values.ctypes.data, array.ptr)
    assert (into.WidthInBytes, into.Height, into.Depth) == (32, 4, 2)
    assert (out.srcMemoryType, out.dstDevice) == (driver.MEMORY_ARRAY, on_device.data.ptr)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    read = texture.TextureObject(resource, texture.TextureDescriptor())
    written = texture.SurfaceObject(resource)
    assert stand_in.named("cuTexObjectCreate")[0][1].res.array.hArray == array.ptr
    handles = read.ptr, written.ptr, array.ptr
    del array, resource, read
    gc.collect()
    assert [each[0].value for each in stand_in.named("cuTexObjectDestroy")] == [handles[0]]
    assert not stand_in.named("cuArrayDestroy")  # the surface object keeps it alive
    del written
    gc.collect()
    order = [name for name, _ in stand_in.calls if "Destroy" in name]
    assert order == ["cuTexObjectDestroy", "cuSurfObjectDestroy", "cuArrayDestroy"]
    assert stand_in.named("cuArrayDestroy")[0][0].value == handles[2]


@on_cpu_only
def test_copies_that_do_not_fit_are_refused(stand_in: Driver) -> None:
    array = texture.CUDAarray(texture.ChannelFormatDescriptor(32, 0, 0, 0, FLOAT), 8, 4)
    for wrong in (np.zeros((8, 4), "f4"), np.zeros((4, 8)), np.zeros(32, "f4")):
        with pytest.raises(ValueError, match=r"has shape \(4, 8\) and elements of 4 bytes"):
            array.copy_from(wrong)
    with pytest.raises(ValueError, match="C-contiguous"):
        array.copy_to(np.zeros((8, 4), "f4").T)
    assert not stand_in.named("cuMemcpy3DAsync_v2")
    for extents in ((0,), (4, 0, 2), (-1, 2)):
        with pytest.raises(ValueError, match="extents"):
            texture.CUDAarray(array.desc, *extents)


@on_cpu_only
def test_rows_and_pools_of_the_runtime(stand_in: Driver) -> None:
    runtime.memcpy2DToArray(7, 8, 1, 4096, 64, 32, 3, runtime.memcpyHostToDevice)
    runtime.memcpy2DFromArrayAsync(8192, 128, 7, 4, 2, 16, 5, runtime.memcpyDeviceToDevice, 0)
    into, out = (each[0] for each in stand_in.named("cuMemcpy3DAsync_v2"))
    assert (into.dstArray, into.dstXInBytes, into.dstY, into.srcHost) == (7, 8, 1, 4096)
    assert (into.srcPitch, into.WidthInBytes, into.Height, into.Depth) == (64, 32, 3, 1)
    assert (out.srcArray, out.srcXInBytes, out.srcY) == (7, 4, 2)
    assert (out.dstDevice, out.dstPitch) == (8192, 128)
    pool = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 3))
    props = stand_in.named("cuMemPoolCreate")[0][1]
    assert (props.allocType, props.location.type, props.location.id) == (1, 1, 3)
    runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 1 << 40)
    assert stand_in.named("cuMemPoolSetAttribute")[0][2].value == 1 << 40
    assert ctypes.sizeof(stand_in.named("cuMemPoolSetAttribute")[0][2]) == 8
    address = runtime.mallocFromPoolAsync(100, pool, 0)
    runtime.freeAsync(address, 0)
    assert stand_in.named("cuMemFreeAsync")[0][0].value == address
    event = runtime.ipcOpenEventHandle(bytes(range(64)))
    runtime.streamWaitEvent(0, event)
    assert runtime.eventQuery(event) == 0
    runtime.eventDestroy(event)
    for name in ("cuStreamWaitEvent", "cuEventQuery", "cuEventDestroy_v2"):
        assert event in [each.value for each in stand_in.named(name)[0]], name
    with pytest.raises(ValueError, match="is no event"):
        runtime.eventQuery(event)
    with pytest.raises(ValueError, match="no attribute"):
        runtime.memPoolGetAttribute(pool, 9)


def test_boxes_of_plain_memory() -> None:
    source, target = (np.arange(60, dtype=np.uint8), np.zeros(60, np.uint8))
    parms = structures.cudaMemcpy3DParms(kind=runtime.memcpyHostToHost)
    parms.srcPtr = structures.cudaPitchedPtr(source.ctypes.data, 5, 5, 4)
    parms.dstPtr = structures.cudaPitchedPtr(target.ctypes.data, 5, 5, 4)
    parms.srcPos, parms.extent = (1, 1, 1), (3, 2, 2)
    runtime.memcpy3D(ctypes.addressof(parms))
    cube = source.reshape(3, 4, 5)
    assert np.array_equal(target.reshape(3, 4, 5)[:2, :2, :3], cube[1:, 1:3, 1:4])
    assert target.reshape(3, 4, 5)[2].sum() == 0


# ---- platforms


@on_cpu_only
def test_the_cpu_platform_says_what_to_use() -> None:
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, FLOAT)
    with pytest.raises(cp.errors.DeviceError, match="pass the array itself to the kernel"):
        texture.CUDAarray(channel, 8)
    linear = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=cp.zeros(8, "f4"), chDesc=channel, sizeInBytes=32
    )
    with pytest.raises(cp.errors.DeviceError, match="texture object"):
        texture.TextureObject(linear, texture.TextureDescriptor())
    with pytest.raises(cp.errors.DeviceError, match="surface object"):
        texture.SurfaceObject(linear)
    for call in (
        lambda: runtime.mallocArray(channel.ptr, 8, 0),
        lambda: runtime.freeArray(1),
        lambda: runtime.createTextureObject(linear.ptr, texture.TextureDescriptor().ptr),
        lambda: runtime.destroySurfaceObject(1),
        lambda: runtime.memcpy2DToArray(1, 0, 0, 1, 4, 4, 1, runtime.memcpyHostToDevice),
        lambda: runtime.deviceGetDefaultMemPool(0),
        lambda: runtime.mallocFromPoolAsync(8, 1, 0),
        lambda: runtime.ipcOpenEventHandle(bytes(64)),
    ):
        with pytest.raises(cp.errors.DeviceError, match="CPU platform does not have"):
            call()


@needs_cuda
@one_device
def test_a_kernel_reads_through_a_texture() -> None:
    values = np.random.default_rng(0).random((6, 8), np.float32)
    array = texture.CUDAarray(texture.ChannelFormatDescriptor(32, 0, 0, 0, FLOAT), 8, 6)
    array.copy_from(cp.asarray(values))
    back = np.zeros_like(values)
    array.copy_to(back)
    assert np.array_equal(back, values)
    array.copy_from(cp.asarray(values.T.copy()).T, cp.cuda.get_current_stream())
    read = texture.TextureObject(
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array),
        texture.TextureDescriptor((runtime.cudaAddressModeClamp,) * 2),
    )
    source = """extern "C" __global__ void f(float* out, cudaTextureObject_t t) {
      out[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f); }
    """
    out = cp.zeros((6, 8), "f4")
    cp.RawKernel(source, "f")((1,), (8, 6), (out, read))
    assert np.array_equal(cp.asnumpy(out), values)
    pool = runtime.deviceGetDefaultMemPool(0)
    address = runtime.mallocFromPoolAsync(1024, pool, 0)
    assert runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrUsedMemCurrent) >= 1024
    runtime.freeAsync(address, 0)


@needs_fake_cuda
def test_pools_of_the_driver_and_calls_that_it_lacks() -> None:
    code = """
runtime, texture = cp.cuda.runtime, cp.cuda.texture
pool = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 1 << 20)
address = runtime.mallocFromPoolAsync(256, pool, 0)
runtime.memsetAsync(address, 1, 256, 0)
runtime.freeAsync(address, 0)
runtime.memPoolTrimTo(pool, 0)
print(pool > 0, address > 0)
try:
    texture.CUDAarray(texture.ChannelFormatDescriptor(32, 0, 0, 0, 2), 8)
except cp.errors.LibraryError as error:
    print("cuArray3DCreate_v2" in str(error))
"""
    assert output_on_fake_cuda(code).split() == ["True", "True", "True"]
