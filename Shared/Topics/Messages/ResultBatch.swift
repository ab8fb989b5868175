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
        let task = "\(task)"
        var outcomes = "["
        for result in results {
            if outcomes.utf8.count > 1 { outcomes += "," }
            result.write(to: &outcomes, task: task)
        }
        outcomes += "]"
        let text = JSONText.object { json in
            json.member("version", ResultBatch.version)
            json.member("task", task)
            json.member("app", app.text)
            json.member("time", "\(time)")
            json.member("results", json: outcomes)
        }
        return Array(text.utf8)
    }
}

extension DeviceResult {
    /// Piece by piece into one text, since a sender writes one for every push. Only the reason may need escaping.
    fileprivate func write(to text: inout String, task: String) {
        let device = device.description
        text += "{\"id\":\""
        text += task
        text += "/"
        text += device
        text += "\",\"device\":\""
        text += device
        text += "\",\"provider\":\""
        text += provider.name
        text += "\",\"state\":\""
        text += state.name
        text += "\",\"attempt\":"
        text += String(attempt)
        text += ",\"status\":"
        text += String(status)
        text += ",\"reason\":"
        text += JSONText.quoted(reason)
        text += "}"
    }
}
