extension EnvironmentReader {
    /// The word after `CARILLON_` in the names of all variables. One environment serves several programs, so each
    /// program ignores the families of the others.
    package static let families: Set<String> = [
        "ADMIN", "ANDROID", "APNS", "APPS", "BUS", "DRAIN", "FCM", "HTTP", "HUAWEI", "IMPORT", "INGEST", "KAFKA", "KEY",
        "LOG", "MPNS", "PEPPER", "REDIS", "RENDERER", "REPORTER", "RESOLVER", "SCHEDULER", "SENDER", "SIMULATOR",
        "STREAM", "URL", "WEB", "WEBPUSH", "WNS", "WORKER",
    ]

    /// An error text for each variable with our prefix that is set but unknown: probably a typing error, and the
    /// intended setting keeps its default. Read this after all settings were read.
    package var unknownVariables: [String] {
        let own = Set(known.map(EnvironmentReader.family))
        return environment.filter { name, value in
            let family = EnvironmentReader.family(of: name)
            return name.hasPrefix(EnvironmentReader.prefix) && !known.contains(name)
                && (own.contains(family) || !EnvironmentReader.families.contains(family))
                && !EnvironmentReader.isServiceLink(name, value)
        }.keys.sorted().map { name in
            let advice = nearest(to: name).map { "did you mean \($0)?" } ?? "see --help for the known variables"
            return "unknown variable \(name); \(advice)"
        }
    }

    private static let prefix = "CARILLON_"

    private static func family(of name: String) -> String {
        String(name.dropFirst(prefix.count).prefix { $0 != "_" })
    }

    /// Kubernetes adds variables with the addresses of services, named after the services.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_TCP")
            || value.hasPrefix("tcp://")
    }

    private func nearest(to name: String) -> String? {
        let word = String(name.dropFirst(EnvironmentReader.prefix.count))
        let words = known.map { String($0.dropFirst(EnvironmentReader.prefix.count)) }.sorted()
        return Spelling.nearest(to: word, among: words, within: word.count / 2).map { EnvironmentReader.prefix + $0 }
    }
}
