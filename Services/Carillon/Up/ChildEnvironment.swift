import ServiceKit

/// What the programs of `carillon up` are given of the environment it was started in: what the operating system's
/// libraries read, and the settings that the program itself reads. Whatever else an operator's shell holds, such as
/// the key of `CARILLON_KEY` or a password for another program, stays out of processes that take requests.
struct ChildEnvironment: Sendable {
    /// For the loader, the C library, time zones, OpenSSL, and the tools that look for mistakes in memory.
    private static let names: Set = [
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "TZDIR", "USER",
    ]
    private static let prefixes = ["GLIBC_", "LC_", "LD_", "MALLOC_", "OPENSSL_", "SSL_CERT_", "SWIFT_"]
    private static let suffixes = ["SAN_OPTIONS"]
    private static let ownPrefix = "CARILLON_"

    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// Whether a program will be given a value for it; an empty one counts as none.
    func isSet(_ name: String) -> Bool {
        variables[name].map { !$0.isEmpty } ?? false
    }

    /// Of a program that reads none of our settings.
    var foreign: [String: String] {
        variables.filter { name, _ in ChildEnvironment.isOrdinary(name) }
    }

    /// Of a program whose settings begin with `CARILLON_` and one of these words. A word that no program knows is passed
    /// on as well, so that the program names the typing error.
    func own(of families: Set<String>) -> [String: String] {
        variables.filter { name, _ in
            guard name.hasPrefix(ChildEnvironment.ownPrefix) else { return ChildEnvironment.isOrdinary(name) }
            let family = String(name.dropFirst(ChildEnvironment.ownPrefix.count).prefix { $0 != "_" })
            return families.contains(family) || !EnvironmentReader.families.contains(family)
        }
    }

    private static func isOrdinary(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) } || suffixes.contains { name.hasSuffix($0) }
    }
}
