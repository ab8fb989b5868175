/// A target as `Package.swift` declares it through its helper functions.
struct DeclaredTarget: Equatable {
    /// The helper that made it: `cModule`, `shared`, `service`, `tests`, `testLibrary` or `testExecutable`.
    let kind: String
    let name: String
    let dependencies: [String]

    private static let kinds: Set = ["cModule", "service", "shared", "testExecutable", "testLibrary", "tests"]

    /// The manifest is read as text: asking the package manager would wait for the lock of the build that runs the test.
    static func all(inManifest manifest: String) -> [DeclaredTarget] {
        guard let list = manifest.range(ofFirst: "targets: [") else { return [] }
        return manifest[list.upperBound...].split(separator: "(").adjacentPairs().compactMap { before, arguments in
            let kind = String(before.reversed().prefix { $0.isLetter }.reversed())
            guard kinds.contains(kind) else { return nil }
            return target(kind, arguments: String(arguments.prefix { $0 != ")" }))
        }
    }

    /// Arguments behind a label name a library to link or a command, and no dependency.
    private static func target(_ kind: String, arguments: String) -> DeclaredTarget? {
        let plain = arguments.split(separator: ",").compactMap { argument -> String? in
            let text = argument.drop { $0.isWhitespace }
            guard text.first == "\"" else { return nil }
            return String(text.dropFirst().prefix { $0 != "\"" })
        }
        guard let name = plain.first else { return nil }
        return DeclaredTarget(kind: kind, name: name, dependencies: kind == "cModule" ? [] : Array(plain.dropFirst()))
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
