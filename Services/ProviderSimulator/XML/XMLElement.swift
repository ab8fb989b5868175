/// An element of an XML document, as far as the payloads of WNS and MPNS need it.
struct XMLElement: Sendable, Equatable {
    /// With its prefix, as in `wp:Toast`.
    var name: String
    var attributes: [String: String] = [:]
    var children: [XMLElement] = []
    /// The character data directly inside it, with its references replaced.
    var text = ""

    /// The first child of that name.
    subscript(name: String) -> XMLElement? {
        children.first { $0.name == name }
    }
}
