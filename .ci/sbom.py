"""Writes a CycloneDX 1.5 bill of materials: Carillon, the statically linked Swift runtime, the Debian packages in
section [run] of packages.apt, and their dependencies. Versions are from dpkg's database, of this machine or of an
unpacked image: `docker export CONTAINER | tar -x --directory FOLDER`, then `make sbom ROOT=FOLDER`."""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent.parent
SWIFT = "swift-runtime"
# Debian's short names of licences with an SPDX identifier of the same meaning; others are written as names.
SPDX = {
    "Apache-2.0": "Apache-2.0",
    "Artistic": "Artistic-1.0",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-2-clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "BSD-3-clause": "BSD-3-Clause",
    "Expat": "MIT",
    "GPL-2": "GPL-2.0-only",
    "GPL-2+": "GPL-2.0-or-later",
    "GPL-3+": "GPL-3.0-or-later",
    "ISC": "ISC",
    "LGPL-2+": "LGPL-2.0-or-later",
    "LGPL-2.1": "LGPL-2.1-only",
    "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3+": "LGPL-3.0-or-later",
    "MIT": "MIT",
    "MPL-2.0": "MPL-2.0",
    "Zlib": "Zlib",
    "curl": "curl",
}


def run_packages(text=None):
    """The names in the section [run]."""
    section = re.search(r"^\[run\]\n(.*?)(?=^\[|\Z)", text or (HERE / "packages.apt").read_text(), re.S | re.M)[1]
    return [line for line in section.splitlines() if line and not line.startswith("#")]


class Debian:
    """The packages that are installed below a root, from dpkg's database."""

    def __init__(self, root):
        self.root = root
        self.packages = {}
        self.providers = {}
        for text in (root / "var/lib/dpkg/status").read_text().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.M))
            if not fields.get("Status", "").endswith(" installed"):
                continue
            self.packages[fields["Package"]] = fields
            for name in names(fields.get("Provides", "")):
                self.providers.setdefault(name[0], fields["Package"])
        release = dict(re.findall(r'^(\w+)="?(.*?)"?$', (root / "etc/os-release").read_text(), re.M))
        if release["ID"] != "debian":
            raise SystemExit(f"{root} is {release['ID']}, but packages.apt names Debian packages")
        self.distribution = f"debian-{release['VERSION_ID']}"

    def dependencies(self, name):
        """The names of the dependencies; of alternatives, the installed one."""
        fields = self.packages[name]
        for choices in names(fields.get("Pre-Depends", "")) + names(fields.get("Depends", "")):
            found = [self.resolved(choice) for choice in choices if self.resolved(choice)]
            if found:
                yield found[0]

    def resolved(self, name):
        return name if name in self.packages else self.providers.get(name)

    def licence(self, name):
        """The licence of `Files: *` of the source package, if the package has a machine-readable copyright file."""
        path = self.root / "usr/share/doc" / name / "copyright"
        text = path.read_text(errors="replace") if path.exists() else ""
        if not re.match(r"Format: https?://\S*copyright-format", text):
            return None
        for paragraph in re.split(r"\n\s*\n", text):
            found = re.search(r"^License: *(\S.*)$", paragraph, re.M)
            if re.search(r"^Files: *\*\s*$", paragraph, re.M) and found:
                return found[1].strip()
        return None


def names(text):
    """The lists of alternatives in a field such as `a (>= 1) | b, c`."""
    return [
        [re.match(r"\s*([\w.+-]+)", choice)[1] for choice in group.split("|")]
        for group in text.split(",")
        if group.strip()
    ]


def component(debian, name):
    fields = debian.packages[name]
    architecture, version = fields["Architecture"], fields["Version"]
    query = urllib.parse.urlencode({"arch": architecture, "distro": debian.distribution})
    purl = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version, safe='.+~:-')}?{query}"
    # Debian's security tracker uses the names of source packages.
    source, _, source_version = fields.get("Source", name).partition(" ")
    made = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "properties": [
            {"name": "debian:source", "value": source},
            {"name": "debian:source-version", "value": source_version.strip("()") or version},
        ],
    }
    licence = debian.licence(name)
    if licence:
        known = SPDX.get(licence)
        made["licenses"] = [{"license": {"id": known} if known else {"name": licence}}]
    return made


def swift_version(root):
    """The version of the local toolchain, or of the one that compose/Dockerfile builds the image with."""
    if root != pathlib.Path("/"):
        return re.search(r"^ARG BUILD_IMAGE=swift:([\d.]+)", (HERE / "compose/Dockerfile").read_text(), re.M)[1]
    said = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Swift version ([\d.]+)", said)[1]


def bill(root):
    debian = Debian(root)
    direct = run_packages()
    missing = [name for name in direct if name not in debian.packages]
    if missing:
        raise SystemExit(f"not installed below {root}: {', '.join(missing)}; run make deps to install them")
    reached, edges = list(direct), {}
    for name in reached:
        edges[name] = sorted(set(debian.dependencies(name)))
        reached += [other for other in edges[name] if other not in reached]
    packages = {name: component(debian, name) for name in sorted(reached)}
    version = re.search(r'current = "([^"]+)"', (HERE / "Shared/ServiceKit/CarillonVersion.swift").read_text())[1]
    own = {
        "type": "application",
        "bom-ref": f"pkg:generic/carillon@{version}",
        "name": "carillon",
        "version": version,
        "purl": f"pkg:generic/carillon@{version}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    runtime_version = swift_version(root)
    runtime = {
        "type": "framework",
        "bom-ref": f"pkg:github/swiftlang/swift@swift-{runtime_version}-RELEASE",
        "name": SWIFT,
        "version": runtime_version,
        "description": "The standard library and runtime, linked statically.",
        "purl": f"pkg:github/swiftlang/swift@swift-{runtime_version}-RELEASE",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    components = [runtime, *packages.values()]
    content = json.dumps([own, components, edges], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": own,
        },
        "components": components,
        "dependencies": [
            {
                "ref": own["bom-ref"],
                "dependsOn": [runtime["bom-ref"], *(packages[name]["bom-ref"] for name in sorted(direct))],
            },
            {"ref": runtime["bom-ref"]},
            *(
                {"ref": packages[name]["bom-ref"], "dependsOn": [packages[other]["bom-ref"] for other in edges[name]]}
                for name in packages
            ),
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("/"))
    json.dump(bill(parser.parse_args().root), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
