/// Why a body could not be read as names and values.
enum BodyRefusal: Error, Equatable {
    case unknownMediaType(String)
    /// What is wrong, for people.
    case malformed(String)
}
