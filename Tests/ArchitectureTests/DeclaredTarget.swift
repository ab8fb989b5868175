/// A target as `Package.swift` declares it through its helper functions.
struct DeclaredTarget: Equatable {
    /// The helper function that declares it: `cModule`, `shared`, `service`, `tests`, `testFuzzers`, `testLibrary` or
    /// `testExecutable`.
    let kind: String
    /// Also the name of its folder.
    let name: String
    /// The module name that sources import: the target's name, or that of the service's command.
    let module: String
    let dependencies: [String]

    init(kind: String, name: String, module: String? = nil, dependencies: [String]) {
        self.kind = kind
        self.name = name
        self.module = module ?? name
        self.dependencies = dependencies
    }

    private static let kinds: Set = [
        "cModule", "service", "shared", "testExecutable", "testFuzzers", "testLibrary", "tests",
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

    /// Labelled arguments name a library to link or a command, not a dependency.
    private static func target(_ kind: String, arguments: String) -> DeclaredTarget? {
        let plain = withoutLists(arguments).split(separator: ",").compactMap { argument -> String? in
            let text = argument.drop { $0.isWhitespace }
            guard text.first == "\"" else { return nil }
            return String(text.dropFirst().prefix { $0 != "\"" })
        }
        guard let name = plain.first else { return nil }
        return DeclaredTarget(
            kind: kind, name: name, module: command(in: arguments).map(module(ofCommand:)),
            dependencies: kind == "cModule" ? [] : plain.dropFirst().map(module(ofCommand:)))
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

    private static func command(in arguments: String) -> String? {
        let label = "command: \""
        return arguments.range(ofFirst: label).map { String(arguments[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    /// The compiler writes a hyphen as an underscore.
    private static func module(ofCommand name: String) -> String {
        String(name.map { $0 == "-" ? "_" : $0 })
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
