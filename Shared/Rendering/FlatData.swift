package import JSONKit

/// An app's data as Android takes it, texts alone: members of objects get the path to them as their name, with dots;
/// numbers and truth values are written out, lists as JSON; what is null is left out. Both of its providers hand it to
/// the app as the same table.
package struct FlatData: Sendable {
    package private(set) var members: [(name: String, value: String)] = []

    package init() {}

    /// Refuses the names that Google keeps for itself, also where Huawei would take them: an app has both. Data that no
    /// provider takes is refused as soon as that is certain, before it takes memory.
    package init(_ object: JSONObject, path: String) throws(RenderingError) {
        var flattening = Flattening(path: path)
        try flattening.take(object)
        members = flattening.members
        var known: Set<String> = []
        for (name, _) in members {
            guard !FlatData.isReserved(name) else {
                throw RenderingError(
                    "\(path).\(name)", message: "is a name that Google keeps for itself; choose another")
            }
            guard known.insert(name).inserted else {
                throw RenderingError(
                    "\(path).\(name)", message: "occurs twice once nested values are flattened; rename one")
            }
        }
    }

    package var isEmpty: Bool { members.isEmpty }

    package subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.value }
        set {
            members.removeAll { $0.name == name }
            if let newValue { members.append((name, newValue)) }
        }
    }

    /// As one JSON object of texts.
    var json: JSONObject { JSONObject(members.map { ($0.name, .string($0.value)) }) }

    private static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }
}

/// The way through nested data. A name is repeated in front of everything below it, so that a small document can be a
/// large table: what the members take is counted before each of them is made.
private struct Flattening {
    /// Quotation marks, a colon, and a comma or a brace.
    private static let bytesAroundMember = 6

    let path: String
    private(set) var members: [(name: String, value: String)] = []
    private var bytes = 0
    /// The names on the way to the current object, each with its dot.
    private var prefix: [UInt8] = []

    init(path: String) {
        self.path = path
    }

    mutating func take(_ object: JSONObject) throws(RenderingError) {
        for (name, value) in object.members {
            switch value {
            case .null: continue
            case .object(let inner):
                let length = prefix.count
                prefix.append(contentsOf: name.utf8)
                prefix.append(UInt8(ascii: "."))
                try take(inner)
                prefix.removeLast(prefix.count - length)
            case .string(let text): try add(name, size: text.utf8.count) { text }
            case .bool, .integer, .unsigned, .number, .array:
                try add(name, size: value.writtenBytesAtLeast(upTo: ProviderBounds.payloadBytesMaximum)) {
                    value.compactText
                }
            }
        }
    }

    private mutating func add(
        _ name: String, size: Int, _ value: () -> String
    ) throws(RenderingError) {
        bytes += prefix.count + name.utf8.count + size + Flattening.bytesAroundMember
        guard bytes <= ProviderBounds.payloadBytesMaximum else {
            throw RenderingError(
                path,
                message:
                    "has more than \(ProviderBounds.payloadBytesMaximum) bytes once nested values are flattened, which is"
                    + " more than any provider takes; shorten it")
        }
        members.append((String(decoding: prefix, as: UTF8.self) + name, value()))
    }
}
