package import PushModel
package import ServiceKit

/// How devices of one task ended, as analysts read it: JSON, versioned. A repeat carries the same ids.
package struct ResultBatch: Hashable, Sendable {
    package static let version = 1
    package static let resultsMaximum = 500

    package let task: TaskID
    package let app: AppID
    package let time: Timestamp
    package let results: [DeviceResult]

    package init(task: TaskID, app: AppID, time: Timestamp, results: [DeviceResult]) {
        self.task = task
        self.app = app
        self.time = time
        self.results = results
    }

    /// As few batches as hold them all.
    package static func batches(
        _ results: [DeviceResult], of task: TaskID, app: AppID, at time: Timestamp
    ) -> [ResultBatch] {
        stride(from: 0, to: results.count, by: resultsMaximum).map { start in
            let part = Array(results[start..<min(start + resultsMaximum, results.count)])
            return ResultBatch(task: task, app: app, time: time, results: part)
        }
    }

    /// Where it belongs on the bus; nil when it is empty.
    package var key: [UInt8]? { results.first.map { Topics.key(task, $0.device.index.segment) } }

    package func encoded() -> [UInt8] {
        let outcomes = results.map { result in
            JSONText.object { json in
                json.member("id", "\(task)/\(result.device)")
                json.member("device", "\(result.device)")
                json.member("provider", result.provider.name)
                json.member("state", result.state.name)
                json.member("attempt", Int(result.attempt))
                json.member("status", Int(result.status))
                json.member("reason", result.reason)
            }
        }
        let text = JSONText.object { json in
            json.member("version", ResultBatch.version)
            json.member("task", "\(task)")
            json.member("app", app.text)
            json.member("time", "\(time)")
            json.member("results", json: "[" + outcomes.joined(separator: ",") + "]")
        }
        return Array(text.utf8)
    }
}
