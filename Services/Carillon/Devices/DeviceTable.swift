import CommandKit
import JSONKit

/// Devices as the API reports them, for people.
enum DeviceTable {
    private static let charactersMaximum = 120
    /// The beginning of a token is enough to recognize it.
    private static let tokenCharactersMaximum = 16

    static func list(_ devices: [JSON]) -> Table {
        Table(
            header: ["DEVICE", "PROTOCOL", "USER", "LANGUAGE", "APP", "UPDATED", "TOKEN"],
            rows: devices.map { device in
                ["id", "protocol", "user", "language", "app_version", "updated"].map { text(device[$0]) }
                    + [text(device["token"], charactersMaximum: tokenCharactersMaximum)]
            })
    }

    /// One line for each field, in the order of the response.
    static func details(_ device: JSON) -> String {
        Table(
            rows: (device.object?.members ?? []).map { name, value in
                [text(.string(name)), name == "topics" ? topics(value) : text(value)]
            }
        ).text
    }

    private static func topics(_ value: JSON) -> String {
        (value.elements ?? []).map { topic in
            text(topic["name"]) + (topic["silent"] == .bool(true) ? ", silent" : "")
        }.joined(separator: "\n")
    }

    private static func text(_ value: JSON?, charactersMaximum: Int = charactersMaximum) -> String {
        guard let value else { return "" }
        return VisibleBytes(isRaw: false).line(value.text ?? value.compactText, charactersMaximum: charactersMaximum)
    }
}
