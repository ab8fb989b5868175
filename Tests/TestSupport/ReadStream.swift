import JSONKit

/// What a client of a stream has read, as a browser would.
package struct ReadStream: Sendable {
    /// The member `number` of the data of each event.
    package private(set) var numbers: [Int] = []
    package private(set) var lastID: String?
    package private(set) var gaps = 0
    package private(set) var retries: [Int] = []
    private var rest: [UInt8] = []

    package init(lastID: String? = nil) {
        self.lastID = lastID
    }

    /// A stream that was cut off: what was not complete is lost.
    package mutating func cut() { rest = [] }

    package mutating func read(_ bytes: [UInt8]) {
        rest += bytes
        while let end = rest.firstRange(of: Array("\n\n".utf8)) {
            dispatch(String(decoding: rest[..<end.lowerBound], as: UTF8.self))
            rest.removeSubrange(..<end.upperBound)
        }
    }

    private mutating func dispatch(_ block: String) {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
        }
        if let id = fields["id"] { lastID = id }
        if let retry = fields["retry"].flatMap({ Int($0) }) { retries.append(retry) }
        guard let data = fields["data"] else { return }
        guard fields["event"] == nil else { return gaps += 1 }
        guard let json = try? JSON(Array(data.utf8)), case .integer(let number)? = json["data"]?["number"] else {
            return numbers.append(-1)
        }
        numbers.append(Int(number))
    }
}
