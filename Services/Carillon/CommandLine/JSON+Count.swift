import JSONKit

extension JSON {
    /// A member that counts something.
    func count(_ name: String) -> Int? {
        guard case .integer(let number) = self[name], number >= 0 else { return nil }
        return Int(number)
    }
}
