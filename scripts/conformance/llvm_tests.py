# SPDX-License-Identifier: Apache-2.0
"""How lit runs LLVM's tests of its runtime: with LLVM's own configuration, filled in."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .toolchain import HEADERS, Runtime, Toolchain, has_symbol


def configuration_of(
    folder: Path, tests: Path, tools: Toolchain, runtime: Runtime, launcher: Path | None
) -> str:
    """The text of lit.site.cfg in `folder`. Only test programs get the drop-in: `launcher`."""
    headers = folder / "include"
    headers.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        (headers / name).unlink(missing_ok=True)
        (headers / name).symlink_to(tools.headers / name)
    run = "%t" if launcher is None else f"{launcher} %t"
    return _site_configuration(_values(folder, headers, tools, runtime), tests, run)


def _values(folder: Path, headers: Path, tools: Toolchain, runtime: Runtime) -> dict[str, Any]:
    """What openmp's CMake would write into lit.site.cfg for an installed runtime."""
    library = runtime.folder / runtime.soname
    major, minor, _ = tools.clang_version.split(".", 2)
    return {
        "test_c_compiler": tools.clang,
        "test_cxx_compiler": tools.clangxx,
        "test_compiler_features": [
            *("clang", f"clang-{major}", f"clang-{major}.{minor}", f"clang-{tools.clang_version}"),
            os.uname().machine,
        ],
        "test_compiler_has_omp_h": True,
        "test_filecheck": str(tools.filecheck),
        "test_not": str(tools.not_),
        "test_openmp_flags": f"{runtime.openmp_flag} -pthread",
        "test_extra_flags": "",
        "libomp_obj_root": str(folder),
        "library_dir": str(runtime.folder),
        "omp_header_directory": str(headers),
        "operating_system": "Linux",
        "hwloc_library_dir": "",
        "using_hwloc": False,  # Debian's and Intel's builds have no hwloc that a test could load
        "has_ompt": has_symbol(library, "ompt_start_tool"),
        "has_ompx_taskgraph": has_symbol(library, "__kmpc_start_record_task"),
        "has_libm": True,
        "has_libatomic": True,
        "is_standalone_build": True,
        "has_omit_frame_pointer_flag": True,
        "target_arch": os.uname().machine,
    }


def _site_configuration(values: Mapping[str, Any], tests: Path, run: str) -> str:
    lines = [f"config.{name} = {value!r}" for name, value in values.items()]
    lines += [
        f"lit_config.load_config(config, {str(tests / 'lit.cfg')!r})",
        "assert ('%libomp-run', '%t') in config.substitutions",
        "config.substitutions = [",
        f"    ('%libomp-run', {run!r}) if entry[0] == '%libomp-run' else entry",
        "    for entry in config.substitutions",
        "]",
    ]
    return "\n".join(lines) + "\n"
