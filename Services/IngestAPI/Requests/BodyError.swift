/// Reasons why a body could not be read as fields.
enum BodyError: Error, Equatable {
    case unknownMediaType(String)
    /// The memory for parsed bodies is in use.
    case noRoom
    /// The detail of the response, as a sentence.
    case malformed(String)
}
