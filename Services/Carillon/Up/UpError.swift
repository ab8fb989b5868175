/// Reason why `carillon up` cannot start or had to stop.
struct UpError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
