package import JSONKit

/// An app's data as Android requires it, with string values only: nested members are named by their path with dots;
/// numbers and booleans become text, arrays JSON; null is omitted. Both providers pass the same table to the app.
package struct FlatData: Sendable {
    package private(set) var members: [(name: String, value: String)] = []

    package init() {}

    /// Refuses names reserved by Google even if Huawei would accept them, since an app has both. Data over the limit of
    /// all providers is refused early, before it takes memory.
    package init(_ object: JSONObject, path: String) throws(RenderingError) {
        var flattening = Flattening(path: path)
        try flattening.take(object)
        members = flattening.members
        var known: Set<String> = []
        for (name, _) in members {
            guard !FlatData.isReserved(name) else {
                throw RenderingError(
                    "\(path).\(name)", message: "name reserved by Google; choose another one")
            }
            guard known.insert(name).inserted else {
                throw RenderingError(
                    "\(path).\(name)", message: "duplicate name after nested values are flattened; rename one")
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

    /// One JSON object of strings.
    var json: JSONObject { JSONObject(members.map { ($0.name, .string($0.value)) }) }

    private static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }
}

/// State of flattening nested data. A name is repeated as a prefix of everything below it, so a small document can
/// become a large table: the size is counted before each member is created.
private struct Flattening {
    /// Quotation marks, a colon, and a comma or a brace.
    private static let bytesAroundMember = 6

    let path: String
    private(set) var members: [(name: String, value: String)] = []
    private var bytes = 0
    /// The path of the current object, each name with its dot.
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
                    "too long: more than \(ProviderBounds.payloadBytesMaximum) bytes after nested values are flattened;"
                    + " shorten names or values")
        }
        members.append((String(decoding: prefix, as: UTF8.self) + name, value()))
    }
}
