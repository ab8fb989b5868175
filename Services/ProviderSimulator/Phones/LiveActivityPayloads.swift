import JSONKit

/// Reads payloads for phones. An update of many phones has one payload, so the last one is cached; its phones then
/// share the text of their content state.
struct LiveActivityPayloads: Sendable {
    private var last: (body: [UInt8], push: LiveActivityPush?)?

    /// Nil for a payload that a phone drops.
    mutating func push(in body: [UInt8]) -> LiveActivityPush? {
        if let last, last.body == body { return last.push }
        let push = (try? JSON(body)).flatMap(LiveActivityPush.init)
        last = (body, push)
        return push
    }
}
