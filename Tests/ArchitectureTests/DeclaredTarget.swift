/// A target as `Package.swift` declares it through its helper functions.
struct DeclaredTarget: Equatable {
    /// The helper function that declares it: `cModule`, `shared`, `service`, `program`, `tests`, `testFuzzers`,
    /// `testSimulation`, `testLibrary` or `testExecutable`.
    let kind: String
    /// Also the name of its module and, except for a program, of its folder.
    let name: String
    let dependencies: [String]

    private static let kinds: Set = [
        "cModule", "program", "service", "shared", "testExecutable", "testFuzzers", "testLibrary",
        "testSimulation", "tests",
    ]

    /// Reads the manifest as text: the package manager would wait for the lock of the build that runs the test.
    static func all(inManifest manifest: String) -> [DeclaredTarget] {
        guard let list = manifest.range(ofFirst: "targets: [") else { return [] }
        return manifest[list.upperBound...].split(separator: "(").adjacentPairs().compactMap { before, arguments in
            let kind = String(before.reversed().prefix { $0.isLetter }.reversed())
            guard kinds.contains(kind) else { return nil }
            return target(kind, arguments: String(arguments.prefix { $0 != ")" }))
        }
    }

    /// Other labelled arguments than `of` name a library to link, not a dependency.
    private static func target(_ kind: String, arguments: String) -> DeclaredTarget? {
        let plain = withoutLists(arguments).split(separator: ",").compactMap { argument -> String? in
            let text = argument.drop { $0.isWhitespace }
            guard text.first == "\"" else { return nil }
            return String(text.dropFirst().prefix { $0 != "\"" })
        }
        guard let name = plain.first else { return nil }
        if kind == "program" {
            return DeclaredTarget(kind: kind, name: name, dependencies: service(in: arguments).map { [$0] } ?? [])
        }
        return DeclaredTarget(kind: kind, name: name, dependencies: kind == "cModule" ? [] : Array(plain.dropFirst()))
    }

    /// Files are listed in brackets, with commas of their own.
    private static func withoutLists(_ arguments: String) -> String {
        var isInList = false
        return arguments.filter { letter in
            if letter == "[" { isInList = true }
            defer { if letter == "]" { isInList = false } }
            return !isInList
        }
    }

    private static func service(in arguments: String) -> String? {
        let label = "of: \""
        return arguments.range(ofFirst: label).map { String(arguments[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}

extension Sequence {
    fileprivate func adjacentPairs() -> Zip2Sequence<Self, DropFirstSequence<Self>> {
        zip(self, dropFirst())
    }
}

extension String {
    func range(ofFirst needle: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(needle) }.map { $0..<index($0, offsetBy: needle.count) }
    }
}
