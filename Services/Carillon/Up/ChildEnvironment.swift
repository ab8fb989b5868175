import ServiceKit

/// The part of its environment that `carillon up` passes to a program: variables of the operating system's libraries,
/// and the settings that the program reads. Anything else in an operator's shell, such as the key in `CARILLON_KEY` or
/// a password for another program, is kept from processes that accept requests.
struct ChildEnvironment: Sendable {
    /// For the loader, the C library, time zones, libdispatch, OpenSSL and the sanitizers.
    private static let names: Set = [
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "TZDIR", "USER",
    ]
    private static let prefixes = [
        "GLIBC_", "LC_", "LD_", "LIBDISPATCH_", "MALLOC_", "OPENSSL_", "SSL_CERT_", "SWIFT_",
    ]
    private static let suffixes = ["SAN_OPTIONS"]
    private static let ownPrefix = "CARILLON_"

    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// True if programs get a value for the variable; an empty value counts as unset.
    func isSet(_ name: String) -> Bool {
        variables[name].map { !$0.isEmpty } ?? false
    }

    /// For a program that reads none of Carillon's settings.
    var foreign: [String: String] {
        variables.filter { name, _ in ChildEnvironment.isOrdinary(name) }
    }

    /// For a program whose settings begin with `CARILLON_` and one of these families. Unknown families are passed
    /// on as well, so that the program reports the misspelled variable.
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
