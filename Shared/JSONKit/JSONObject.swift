/// The members of a JSON object in the order in which their names first came; of a repeated name the last value counts.
package struct JSONObject: Sendable, Equatable {
    package typealias Member = (name: String, value: JSON)

    /// Below this many members looking through them is faster than a table, and needs none.
    private static let unindexedMaximum = 16

    package private(set) var members: [Member] = []
    private var positions: [ExactName: Int] = [:]

    package init() {}

    package init(_ members: [Member]) {
        for (name, value) in members { self[name] = value }
    }

    package var names: [String] { members.map(\.name) }

    package subscript(name: String) -> JSON? {
        get { position(of: name).map { members[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (nil, let value?): append(name, value)
            case (let position?, nil):
                members.remove(at: position)
                reindex()
            case (nil, nil): break
            }
        }
    }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    private func position(of name: String) -> Int? {
        positions.isEmpty
            ? members.firstIndex { ExactName(text: $0.name) == ExactName(text: name) }
            : positions[ExactName(text: name)]
    }

    private mutating func append(_ name: String, _ value: JSON) {
        members.append((name, value))
        if !positions.isEmpty {
            positions[ExactName(text: name)] = members.count - 1
        } else if members.count > JSONObject.unindexedMaximum {
            reindex()
        }
    }

    private mutating func reindex() {
        positions = [:]
        guard members.count > JSONObject.unindexedMaximum else { return }
        for (position, member) in members.enumerated() { positions[ExactName(text: member.name)] = position }
    }
}

/// Names are compared byte by byte, as JSON means them: two spellings of one accented letter are two names.
private struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool {
        // Of texts that differ, nearly all are told apart by the first comparison, which is a good deal faster.
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
