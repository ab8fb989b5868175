/// Why a body could not be read as names and values.
enum BodyError: Error, Equatable {
    case unknownMediaType(String)
    /// There is no memory for what it would be parsed into, just now.
    case noRoom
    /// What is wrong, for people.
    case malformed(String)
}
