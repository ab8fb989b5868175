import Bus
import ServiceKit

/// The answer to a replay.
struct ReplayedLetters: Sendable {
    var replayed = 0
    var refused: [DeadPosition: String] = [:]

    var text: String {
        let refused = refused.sorted { $0.key < $1.key }.map { position, reason in
            JSONText.object { json in
                json.member("position", "\(position)")
                json.member("reason", reason)
            }
        }
        return JSONText.object { json in
            json.member("replayed", replayed)
            json.member("refused", json: "[\(refused.joined(separator: ","))]")
        }
    }
}
