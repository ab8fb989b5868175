/// Why a text is not a well-formed document; the position is in bytes.
struct XMLError: Error, Equatable, CustomStringConvertible {
    let message: String
    let position: Int

    var description: String { "\(message) at byte \(position)" }
}
