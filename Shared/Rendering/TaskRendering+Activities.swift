import JSONKit
import PushModel
import TaskModel
import Topics

extension TaskRendering {
    /// Apple allows channels more than tokens; phones of one activity may have either.
    static let activityBytesMaximum = ProviderBounds.payloadBytesMaximum

    /// Without the task's id: the app does not see the members beside `aps`. And without a collapse id: the timestamp
    /// decides which state a phone keeps.
    func activityVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let terms = try terms(of: selection)
        guard let activity = content.activity, let members = activity.members else {
            throw RenderingError("activity", message: "missing; the task is not for a Live Activity")
        }
        try ProviderBounds.check(members, path: "content_state", bytesMaximum: TaskRendering.activityBytesMaximum)
        let payload = template(
            of: JSON.object(JSONObject([("aps", .object(aps(of: activity, members: members)))])).compactBytes,
            feed: activity.event == .start ? feed(of: activity, selection) : nil)
        let bytes =
            payload.parts.reduce(0) { $0 + $1.count } + payload.slots.count * ActivityFeed.bytesMaximum
        guard bytes <= TaskRendering.activityBytesMaximum else {
            throw RenderingError(
                "content_state",
                message: "too long for Apple: the payload has \(bytes) bytes; at most "
                    + "\(TaskRendering.activityBytesMaximum)")
        }
        return RenderedVariant(
            kind: selection.kind, priority: terms.priority(isSilent: false), pushType: "liveactivity", collapseID: "",
            expiration: terms.expiration, payload: payload, isSilent: false)
    }

    private func aps(of activity: ActivityContent, members: JSONObject) -> JSONObject {
        var aps = JSONObject([
            ("timestamp", .integer(activity.timestamp)), ("event", .string(activity.event.rawValue)),
        ])
        for (name, value) in members.members { aps[name] = value }
        return aps
    }

    private enum Feed {
        case known(String)
        /// The sender decides.
        case slot
    }

    /// Only a push to a phone that knows channels may name one: others would not start the activity.
    private func feed(of activity: ActivityContent, _ selection: Selection) -> Feed {
        activity.feed == .channel && selection.knowsChannels ? .slot : .known(ActivityFeed.tokens)
    }

    /// The payload with the feed as the last member of `aps`.
    private func template(of payload: [UInt8], feed: Feed?) -> PayloadTemplate {
        let ends = Array("}}".utf8)
        let begins = payload.dropLast(ends.count) + [UInt8(ascii: ",")]
        return switch feed {
        case nil: PayloadTemplate(payload)
        case .known(let member): PayloadTemplate(begins + Array(member.utf8) + ends)
        case .slot: PayloadTemplate(parts: [Array(begins), ends], slots: [.feed])
        }
    }
}

extension TaskContent {
    /// False if nothing of it is for the protocol, or is known yet.
    func canBeChecked(for kind: PushProtocol) -> Bool {
        switch kind {
        case .liveActivity: activity?.members != nil
        // The same payload.
        case .channel: false
        case .apns, .fcm, .huawei, .webpush, .wns, .mpns, .http: activity == nil || hasContent(for: kind)
        }
    }
}
