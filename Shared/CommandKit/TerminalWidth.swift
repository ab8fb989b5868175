/// Width of a terminal, from the first source that knows it.
package enum TerminalWidth {
    /// Assumed for a terminal that does not report its width.
    private static let usual = 80
    private static let maximum = 10_000

    /// `reported` is 0 if the terminal does not report its width, such as a serial line.
    package static func columns(reported: Int, variables: [String: String]) -> Int {
        if reported > 0 { return reported }
        guard let columns = variables["COLUMNS"].flatMap({ Int($0) }), 1...maximum ~= columns else { return usual }
        return columns
    }
}
