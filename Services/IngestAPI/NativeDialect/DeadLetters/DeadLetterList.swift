import ServiceKit

/// The newest letters of an app, newest first.
struct DeadLetterList: Sendable {
    static let limits = 1...100
    static let limit = 50

    var letters: [DeadLetterAnswer] = []
    /// With those beyond the limit.
    var total = 0

    var text: String {
        JSONText.object { json in
            json.member("letters", json: "[\(letters.map(\.text).joined(separator: ","))]")
            json.member("total", total)
        }
    }
}
