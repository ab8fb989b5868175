import CommandKit
import JSONKit

/// Statistics as the API returns them.
struct ReportedStatistics: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let time: String
        let value: String
        let tasks: Int
        let targeted: Int
        let delivered: Int
        /// Failed, invalid or of unknown outcome.
        let failed: Int
        /// Devices that opened a push; nil for an hour.
        let opened: Int?
        let document: JSON

        init?(_ json: JSON) {
            guard let time = json["time"]?.text, let value = json["value"]?.text, let counts = json["counts"] else {
                return nil
            }
            self.time = time
            self.value = value
            tasks = json.count("tasks") ?? 0
            targeted = counts.count("targeted") ?? 0
            delivered = counts.count("delivered") ?? 0
            failed = ["failed", "invalid", "invalid_removed", "unknown"].reduce(0) { $0 + (counts.count($1) ?? 0) }
            opened = json["receipts"]?.count("opened")
            document = json
        }
    }

    let by: String
    let interval: String
    let from: String
    let to: String
    let rows: [Row]
    /// Where the next page begins.
    let next: String?

    init?(_ json: JSON) {
        guard let rows = json["rows"]?.elements?.map({ Row($0) }), !rows.contains(nil), let by = json["by"]?.text,
            let interval = json["interval"]?.text, let from = json["from"]?.text, let to = json["to"]?.text
        else { return nil }
        self.by = by
        self.interval = interval
        self.from = from
        self.to = to
        self.rows = rows.compactMap { $0 }
        next = json["next"]?.text
    }
}
