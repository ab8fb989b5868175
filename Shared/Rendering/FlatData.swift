package import JSONKit

/// An app's data as Android takes it, texts alone: members of objects get the path to them as their name, with dots;
/// numbers and truth values are written out, lists as JSON; what is null is left out. Both of its providers hand it to
/// the app as the same table.
package struct FlatData: Sendable {
    package private(set) var members: [(name: String, value: String)] = []

    package init() {}

    /// Refuses the names that Google keeps for itself, also where Huawei would take them: an app has both.
    package init(_ object: JSONObject, path: String) throws(RenderingFlaw) {
        FlatData.flatten(object, under: "", into: &members)
        var known: Set<String> = []
        for (name, _) in members {
            guard !FlatData.isReserved(name) else {
                throw RenderingFlaw("\(path).\(name)", "is a name that Google keeps for itself; choose another")
            }
            guard known.insert(name).inserted else {
                throw RenderingFlaw("\(path).\(name)", "occurs twice once nested values are flattened; rename one")
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

    private static func flatten(
        _ object: JSONObject, under path: String, into flat: inout [(name: String, value: String)]
    ) {
        for (name, value) in object.members {
            let key = path.isEmpty ? name : "\(path).\(name)"
            switch value {
            case .null: continue
            case .object(let inner): flatten(inner, under: key, into: &flat)
            case .string(let text): flat.append((key, text))
            case .bool, .integer, .unsigned, .number, .array: flat.append((key, value.compactText))
            }
        }
    }

    private static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }
}
