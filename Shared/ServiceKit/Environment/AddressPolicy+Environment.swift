extension AddressPolicy {
    /// Allows public addresses, and the ranges that a variable names. `content` is what goes to them, in the plural.
    package init(allowing name: String, for content: String, environment: inout EnvironmentReader) {
        let expected = "addresses and ranges such as 10.0.0.0/8, separated by commas"
        let text = environment.optionalText(
            name, meaning: "Addresses that are not public and that \(content) may be sent to: \(expected).")
        var ranges: [AddressRange] = []
        for part in (text ?? "").split(separator: ",") {
            let trimmed = String(part.drop { $0 == " " })
            guard let range = try? AddressRange(trimmed) else {
                environment.reject(
                    name, problem: "\"\(trimmed)\" is not an address or a range", fix: "set it to \(expected)")
                continue
            }
            ranges.append(range)
        }
        self.init(allowed: ranges)
    }
}
