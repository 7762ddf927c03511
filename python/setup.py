# SPDX-License-Identifier: Apache-2.0
"""The wheel: the extension is built by CMake, with the C library inside it, or beside it where there
are several for the loader to choose from by the processor (cmake/CardanLevels.cmake).

CARDAN_BUILD=FOLDER  takes it from that build of the project, brought up to date, as it is
                     configured; without it one is configured here for any processor of this kind
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# what setuptools writes on its way stays out of the sources
WORK = ROOT / "build" / "wheel"
OLDEST = (3, 9)  # whose stable ABI the extension keeps to: Py_LIMITED_API in CMakeLists.txt


def version() -> str:
    """As include/cardan/base.h has it."""
    header = ROOT / "include" / "cardan" / "base.h"
    if not header.exists():
        raise SystemExit(f"there is no {header}: the package is built inside the project's tree")
    return ".".join(re.findall(r"define CARDAN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                               header.read_text()))


def run(*command: object) -> None:
    try:
        subprocess.run([str(word) for word in command], check=True)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} was not found: the C library is built with it") from None
    except subprocess.CalledProcessError as fault:
        raise SystemExit(f"{command[0]} failed with {fault.returncode}: see above") from None


class ByCMake(build_ext):
    def build_extension(self, ext: Extension) -> None:
        given = os.environ.get("CARDAN_BUILD")
        folder = pathlib.Path(given) if given else self.configure()
        if not (folder / "CMakeCache.txt").exists():
            raise SystemExit(f"CARDAN_BUILD={folder} is not a folder that CMake has configured")
        run("cmake", "--build", folder, "--target", "cardan_python")
        made = folder / "python" / "cardan"
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made / "_cardan.abi3.so", target)
        # where the library is not inside it: those that the loader chooses from
        for plain in made.glob("libcardan.so.*"):
            for library in [plain, *made.glob(f"glibc-hwcaps/*/{plain.name}")]:
                beside = target.parent / library.relative_to(made)
                beside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(library, beside)

    def configure(self) -> pathlib.Path:
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS_RELEASE": "-O3",
                   "CARDAN_NATIVE": "OFF", "CARDAN_TESTS": "OFF", "CARDAN_BENCH": "OFF",
                   "CARDAN_PYTHON": "ON", "CARDAN_PYTHON_PROGRAM": sys.executable,
                   "CARDAN_PYTHON_NEEDS": "cffi"}
        run("cmake", "-S", ROOT, "-B", folder, *generator,
            *(f"-D{name}={value}" for name, value in options.items()))
        return folder


class NoSdist(sdist):
    def run(self) -> None:
        raise SystemExit("there is no sdist of cardan: the C library lies outside python/. "
                         "Build a wheel in the project's tree (pip wheel ./python), or archive the "
                         "whole of it (git archive)")


WORK.mkdir(parents=True, exist_ok=True)
shutil.rmtree(WORK / "package", ignore_errors=True)  # of modules that are no longer there
setup(
    version=version(),
    ext_modules=[Extension("cardan._cardan", [], py_limited_api=True)],
    cmdclass={"build_ext": ByCMake, "sdist": NoSdist},
    options={
        "build": {"build_base": str(WORK), "build_lib": str(WORK / "package")},
        "egg_info": {"egg_base": str(WORK)},
        "bdist_wheel": {"py_limited_api": "cp{}{}".format(*OLDEST)},
    },
)
