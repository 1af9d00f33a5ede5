"""NVTX ranges reach the tool that runs the program, and nothing happens without one."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.cuda_packages import cuda_folder
from support.subprocesses import output_of

from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

PROGRAM = """
import cupola as cp
from cupola import _cupola
cp.config.eager = False
a = cp.ones((100, 100))
print(float((a * 2 + 1).sum()), _cupola.nvtx_is_on())
"""

# Stands for a tool: writes the ranges that are opened and closed.
TOOL = """
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* out;
static int push(const char* name) { fprintf(out, "push %s\\n", name); return fflush(out); }
static int push_coloured(const nvtxEventAttributes_t* event) {
  fprintf(out, "push %s %x\\n", event->message.ascii, event->color);
  return fflush(out);
}
static void mark(const nvtxEventAttributes_t* event) {
  fprintf(out, "mark %s %x\\n", event->message.ascii, event->color);
  fflush(out);
}
static int pop(void) { fprintf(out, "pop\\n"); return fflush(out); }

__attribute__((visibility("default")))
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const NvtxExportTableCallbacks* callbacks =
      (const NvtxExportTableCallbacks*)get_table(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned int size = 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  out = fopen(getenv("RANGES"), "w");
  *table[NVTX_CBID_CORE_RangePushEx] = (NvtxFunctionPointer)push_coloured;
  *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)mark;
  *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  return out != NULL;
}
"""


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    include, compiler = cuda_folder("nvtx3/nvToolsExt.h", "include"), shutil.which("cc")
    if include is None or compiler is None or not _cupola.nvtx_is_available():
        pytest.skip("needs NVTX's headers and a C compiler")
    source, library = tmp_path / "tool.c", tmp_path / "libtool.so"
    source.write_text(TOOL)
    options = ["-shared", "-fPIC", "-isystem", str(include)]
    subprocess.run([compiler, *options, str(source), "-o", str(library)], check=True)
    return library


def test_without_a_tool_nothing_happens() -> None:
    assert output_of(PROGRAM, CUPOLA_NVTX="1") == "30000.0 True"
    assert output_of(PROGRAM, CUPOLA_NVTX="0") == "30000.0 False"
    assert output_of(PROGRAM) == "30000.0 False"


def test_ranges_have_the_names_of_operations(tool: Path, tmp_path: Path) -> None:
    ranges = tmp_path / "ranges"
    tools = {"NVTX_INJECTION64_PATH": str(tool), "RANGES": str(ranges)}
    output_of(PROGRAM, CUPOLA_NVTX="1", **tools)
    lines = ranges.read_text().splitlines()
    assert "push multiply, add, sum" in lines
    assert "push float(a)" in lines
    assert lines.count("pop") == sum(line.startswith("push") for line in lines)


def test_a_profile_makes_ranges(tool: Path, tmp_path: Path) -> None:
    ranges = tmp_path / "ranges"
    tools = {"NVTX_INJECTION64_PATH": str(tool), "RANGES": str(ranges)}
    output_of("import cupola as cp\nwith cp.profile():\n    cp.eval(cp.ones(9000) * 2)", **tools)
    assert "push multiply" in ranges.read_text().splitlines()


def test_ranges_of_a_program(tool: Path, tmp_path: Path) -> None:
    ranges = tmp_path / "ranges"
    tools = {"NVTX_INJECTION64_PATH": str(tool), "RANGES": str(ranges)}
    program = """
import cupola as cp
nvtx = cp.cuda.nvtx
nvtx.RangePushC("outer", 0xFF123456)
nvtx.RangePush("inner", 1)
nvtx.MarkC("here", 0xFF00FF00)
nvtx.RangePop()
nvtx.RangePop()
print(nvtx.available)
"""
    assert output_of(program, **tools) == "True"
    lines = ["push outer ff123456", "push inner ff0000ff", "mark here ff00ff00", "pop", "pop"]
    assert ranges.read_text().splitlines() == lines
