/// Why `carillon up` cannot start, or had to end.
struct UpError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
