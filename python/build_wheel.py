"""Build backend of the Python package (PEP 517 and 660). It runs CMake and requires no other Python package.

The wheel contains the executable and the module `sparsecfg`, which runs it. If static archives of all libraries are
installed, the executable is static and runs on every Linux with the same architecture. Set the environment variable
SPARSECFG_EXECUTABLE to use an existing executable instead of building one. Set CMAKE_PREFIX_PATH to folders in which CMake
searches for libraries.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULE = ROOT / "python" / "sparsecfg"


def version() -> str:
    """Return the project version in CMakeLists.txt."""
    found = re.search(r"project\(sparsecfg VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError("CMakeLists.txt contains no version")
    return found.group(1)


def metadata() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return (
        f"Metadata-Version: 2.1\nName: sparsecfg\nVersion: {version()}\n"
        "Summary: Compiler and validator for neural-network sparsification recipes\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + readme)


def executable(folder: Path) -> Path:
    """Build the executable in a folder, statically linked if possible."""
    given = os.environ.get("SPARSECFG_EXECUTABLE")
    if given:
        if not os.access(given, os.X_OK) or Path(given).is_dir():
            raise SystemExit(f"SPARSECFG_EXECUTABLE is {given}, which is not an executable file")
        return Path(given)
    if sys.platform != "linux":
        raise SystemExit("sparsecfg can be built only on Linux")
    require_tools()
    options = ["-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-D", "SPARSECFG_STATIC=AUTO",
               "-D", "SPARSECFG_BUILD_TESTS=OFF"]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", *generator, "-S", str(ROOT), "-B", str(folder), *options)
    run("cmake", "--build", str(folder), "--target", "sparsecfg", "--parallel", str(os.cpu_count() or 1))
    return folder / "sparsecfg"


def require_tools() -> None:
    """Exit with a list of packages to install if CMake or the compiler is missing."""
    compiler = os.environ.get("CXX", "c++").split()[0]
    missing = [name for name in ("cmake", compiler) if not shutil.which(name)]
    if missing:
        packages = re.findall(r"^[^#\s]+", (ROOT / "packages.txt").read_text(encoding="utf-8").split("\n# Tests")[0], re.MULTILINE)
        raise SystemExit(f"building sparsecfg requires {' and '.join(missing)} and a few libraries.\n"
                         f"On Debian and Ubuntu: apt-get install -y {' '.join(packages)}\n"
                         "See docs/install.md for package names on other distributions.")


def run(*command: str) -> None:
    try:
        # Build output goes to standard error, because frontends parse standard output.
        subprocess.run(command, check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"`{' '.join(command)}` failed with exit code {error.returncode}") from None


def is_static(program: bytes) -> bool:
    """Return True if an ELF file is static, which means that it has no program header PT_INTERP."""
    order = "<" if program[5] == 1 else ">"
    wide = program[4] == 2
    table = struct.unpack_from(order + ("Q" if wide else "I"), program, 32 if wide else 28)[0]
    size, count = struct.unpack_from(order + "HH", program, 54 if wide else 42)
    return all(struct.unpack_from(order + "I", program, table + at * size)[0] != 3 for at in range(count))


def machine(program: bytes) -> str:
    """The machine of an ELF file, which is not this one after a cross build."""
    number = struct.unpack_from("<H" if program[5] == 1 else ">H", program, 18)[0]
    return {62: "x86_64", 183: "aarch64"}.get(number, platform.machine())


def tag(program: bytes) -> str:
    """Return the platform tags. A static executable does not depend on the C library of the system."""
    systems = ["manylinux_2_17", "manylinux2014", "musllinux_1_1"] if is_static(program) else ["linux"]
    return "py3-none-" + ".".join(f"{system}_{machine(program)}" for system in systems)


class Wheel:
    """A wheel under construction and the list of its files."""

    def __init__(self, path: Path) -> None:
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record: list[tuple[str, str, str]] = []

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append((name, f"sha256={digest}", str(len(data))))

    def close(self, record: str) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*self.record, (record, "", "")])
        self.add(record, text.getvalue().encode())
        self.archive.close()


def write_wheel(folder: str, program: Path, module: dict[str, bytes]) -> str:
    data = program.read_bytes()
    platforms = tag(data)
    name = f"sparsecfg-{version()}-{platforms}.whl"
    info = f"sparsecfg-{version()}.dist-info"
    wheel = Wheel(Path(folder) / name)
    for path, text in module.items():
        wheel.add(path, text)
    wheel.add(f"sparsecfg-{version()}.data/scripts/sparsecfg", data, 0o755)
    wheel.add(f"{info}/METADATA", metadata().encode())
    tags = "".join(f"Tag: py3-none-{each}\n" for each in platforms.removeprefix("py3-none-").split("."))
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: sparsecfg\nRoot-Is-Purelib: false\n{tags}".encode())
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(f"{info}/RECORD")
    return name


def build(folder: str, module: dict[str, bytes]) -> str:
    with tempfile.TemporaryDirectory() as temporary:
        return write_wheel(folder, executable(Path(temporary)), module)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: object = None) -> str:
    """Write the metadata, so that pip gets the version without a build."""
    info = f"sparsecfg-{version()}.dist-info"
    (Path(metadata_directory) / info).mkdir()
    (Path(metadata_directory) / info / "METADATA").write_text(metadata(), encoding="utf-8")
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    sources = sorted(path for path in MODULE.iterdir() if path.suffix in (".py", ".typed"))
    return build(wheel_directory, {f"sparsecfg/{path.name}": path.read_bytes() for path in sources})


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return build(wheel_directory, {"sparsecfg.pth": f"{MODULE.parent}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"sparsecfg-{version()}"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in filter(None, files):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        data = metadata().encode()
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return f"{base}.tar.gz"
