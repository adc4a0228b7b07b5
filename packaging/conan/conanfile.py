"""Conan 2: `conan create packaging/conan`. hwloc comes from the system, not from Conan."""

import re
from pathlib import Path
from typing import ClassVar

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt, Dnf


class Finegrain(ConanFile):
    """The headers, finegrain::core, finegrain::c; the drop-in where it is asked for."""

    name = "finegrain"
    description = "Task parallelism for work of 0.1 to 10 microseconds"
    license = "Apache-2.0"
    topics = ("parallelism", "concurrency", "low-latency", "openmp", "tasks")
    package_type = "library"
    settings = ("os", "arch", "compiler", "build_type")
    options: ClassVar = {"shared": [True, False], "hwloc": [True, False], "omp": [True, False]}
    default_options: ClassVar = {"shared": False, "hwloc": True, "omp": False}

    def set_version(self):
        header = Path(self.recipe_folder, "../../include/finegrain/version.h").read_text()
        self.version = re.search(r'FINEGRAIN_VERSION "(.*)"', header)[1]

    def export_sources(self):
        root = Path(self.recipe_folder, "../..").resolve()
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def config_options(self):
        if self.settings.os != "Linux":  # no drop-in there, and the system tells the topology
            self.options.rm_safe("hwloc")
            self.options.rm_safe("omp")

    def validate(self):
        check_min_cppstd(self, 20)

    def system_requirements(self):
        wanted = {"pkg-config": "pkgconf"}  # Debian's name: Fedora's
        if self.options.get_safe("hwloc"):
            wanted["libhwloc-dev"] = "hwloc-devel"
        if self.options.get_safe("omp"):
            wanted["libffi-dev"] = "libffi-devel"
        Apt(self).install(list(wanted))
        Dnf(self).install(list(wanted.values()))

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "TOOLS"):
            toolchain.cache_variables[f"FINEGRAIN_BUILD_{option}"] = False
        toolchain.cache_variables["FINEGRAIN_BUILD_OMP"] = bool(self.options.get_safe("omp"))
        toolchain.cache_variables["FINEGRAIN_WITH_HWLOC"] = bool(self.options.get_safe("hwloc"))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Our own finegrain-config.cmake serves find_package; the rest is for other build systems.
        self.cpp_info.set_property("cmake_find_mode", "none")
        headers = self.cpp_info.components["headers"]
        headers.builddirs = ["lib/cmake/finegrain"]
        headers.set_property("pkg_config_name", "finegrain")
        if self.settings.os in ("Linux", "FreeBSD"):
            headers.system_libs = ["pthread"]
        if self.options.get_safe("hwloc"):
            core = self.cpp_info.components["core"]
            core.set_property("pkg_config_name", "finegrain-core")
            core.requires = ["headers"]
            core.defines = ["FINEGRAIN_WITH_HWLOC=1"]
            core.libs = ["finegrain-core"]
            core.system_libs = ["hwloc"]
        c = self.cpp_info.components["c"]
        c.set_property("pkg_config_name", "finegrain-c")
        c.libs = ["finegrain-c"]
