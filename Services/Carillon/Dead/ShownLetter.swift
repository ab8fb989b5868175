import Bus
import CommandKit
import ServiceKit

/// One record of `dead`, with everything that is stored of it.
struct ShownLetter {
    let message: IncomingMessage
    let visible: VisibleBytes

    var text: String {
        var text = ""
        var headers = message.headers
        switch DeadRecord(message) {
        case .letter(let letter):
            text += Table(rows: facts(letter) + [["died", message.timestamp.description]]).text
            headers = letter.headers
        case .mark(let position): text += "Replay mark: \(position) was replayed.\n"
        case .foreign: text += "Not a dead letter: it has no dead-letter headers.\n"
        }
        if let key = message.key { text += "\nKey:\n\n\(visible.print(key))\n" }
        if !headers.isEmpty {
            text +=
                "\nHeaders:\n\n" + Table(rows: headers.map { [visible.print($0.name), visible.print($0.value)] }).text
        }
        return text + "\nValue, \(message.value.count) bytes:\n\n\(visible.print(message.value))"
    }

    /// The fields of the text, one object on one line.
    var json: String {
        JSONText.object { json in
            var headers = message.headers
            json.member("position", DeadPosition(of: message).description)
            switch DeadRecord(message) {
            case .letter(let letter):
                json.member("kind", "letter")
                for fact in facts(letter) {
                    json.member(fact[0].split(separator: " ").joined(separator: "_"), fact[1])
                }
                headers = letter.headers
            case .mark(let position):
                json.member("kind", "replay mark")
                json.member("replayed", position.description)
            case .foreign: json.member("kind", "foreign")
            }
            json.member("died", message.timestamp.description)
            if let key = message.key { json.member("key", visible.print(key)) }
            let list = headers.map { header in
                JSONText.object { json in
                    json.member("name", visible.print(header.name))
                    json.member("value", visible.print(header.value))
                }
            }
            json.member("headers", json: "[\(list.joined(separator: ","))]")
            json.member("value_bytes", message.value.count)
            json.member("value", visible.print(message.value))
        }
    }

    private func facts(_ letter: DeadLetter) -> [[String]] {
        [
            ["channel", visible.print(letter.channel)],
            ["partition", "\(letter.partition)"],
            ["offset", "\(letter.offset)"],
            ["group", visible.print(letter.group)],
            ["reason", letter.reason.rawValue],
            ["detail", visible.print(letter.detail)],
            ["attempts", "\(letter.attempts)"],
            ["first seen", letter.firstSeen.description],
        ]
    }
}
