import JSONKit

/// Checks payloads. A push to many devices has one payload, so the last one is cached.
struct ApplePayloads: Sendable {
    private struct Finding {
        let body: [UInt8]
        let isObject: Bool
        let task: String?
    }

    private var last: Finding?

    /// Returns the `task_id` beside `aps`, if there is one.
    mutating func check(_ body: [UInt8], bytesMaximum: Int) throws(AppleError) -> String? {
        if body.isEmpty { throw .payloadEmpty }
        if body.count > bytesMaximum { throw .payloadTooLarge }
        let finding = finding(about: body)
        // Apple has no separate reason for invalid JSON.
        guard finding.isObject else { throw .payloadEmpty }
        return finding.task
    }

    private mutating func finding(about body: [UInt8]) -> Finding {
        if let last, last.body == body { return last }
        let payload = (try? JSON(body))?.object
        let finding = Finding(body: body, isObject: payload != nil, task: payload?["task_id"]?.text)
        last = finding
        return finding
    }
}
