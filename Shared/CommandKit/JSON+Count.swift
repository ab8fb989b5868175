package import JSONKit

extension JSON {
    /// Value of a non-negative integer member; nil for anything else.
    package func count(_ name: String) -> Int? {
        guard case .integer(let number) = self[name], number >= 0 else { return nil }
        return Int(number)
    }
}
