/// The members of a JSON object in the order of their first occurrence; the last value of a repeated name wins.
@usableFromInline package struct JSONObject: Sendable, Equatable {
    package typealias Member = (name: String, value: JSON)

    /// Up to this count a linear search is faster than a hash table.
    private static let unindexedMaximum = 16

    package private(set) var members: [Member] = []
    private var positions: [ExactName: Int] = [:]

    package init() {}

    package init(_ members: [Member]) {
        self.init(countMaximum: members.count)
        for (name, value) in members { set(name, to: value) }
    }

    /// An empty object with reserved capacity.
    init(countMaximum: Int) {
        members.reserveCapacity(countMaximum)
    }

    package var names: [String] { members.map(\.name) }

    package subscript(name: String) -> JSON? {
        get { position(of: name).map { members[$0].value } }
        set {
            if let newValue {
                set(name, to: newValue)
            } else if let position = position(of: name) {
                members.remove(at: position)
                reindex()
            }
        }
    }

    /// True if the name is new.
    @discardableResult
    mutating func set(_ name: String, to value: JSON) -> Bool {
        guard let position = position(of: name) else {
            append(name, value)
            return true
        }
        members[position].value = value
        return false
    }

    @usableFromInline package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    private func position(of name: String) -> Int? {
        let name = ExactName(text: name)
        guard positions.isEmpty else { return positions[name] }
        return members.indices.first { ExactName(text: members[$0].name) == name }
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

/// Names are compared byte by byte, as in JSON: two Unicode forms of one accented letter are different names.
private struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool {
        left.text.utf8.count == right.text.utf8.count
            && left.withBytes { left in right.withBytes { right in left.elementsEqual(right) } }
    }

    func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // Only bridged strings have no contiguous storage.
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }
}
