"""Builds the first program of the README against the package, and runs it."""

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class FirstProgram(ConanFile):
    """A project that finds finegrain by its own configuration files."""

    settings = ("os", "arch", "compiler", "build_type")
    generators = ("CMakeDeps", "VirtualRunEnv")

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # it would lie in the source tree
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f"{self.cpp.build.bindir}/app", env="conanrun")
