package import JSONKit
package import PushModel

/// States of Live Activities as data for the apps of other platforms.
package enum MirroredState {
    package static let platforms: [Platform] = [.android, .web]

    package static func message(
        of activity: ActivityID, event: ActivityEvent, timestamp: Int64, state: JSONObject
    ) -> PushMessage {
        var message = PushMessage()
        message.isSilent = true
        message.data = JSONObject([
            ("activity", .string(activity.text)), ("event", .string(event.rawValue)),
            ("timestamp", .string("\(timestamp)")),
            ("content_state", .string(JSON.object(state).compactText)),
        ])
        return message
    }
}

extension PushTask {
    /// The task that sends the state of a publication to the other devices of the users who were told to start the
    /// activity. Nil if it is not mirrored, or nothing is decided yet. A repeat has the same id.
    package func mirror(of base: ActivityBase) -> PushTask? {
        guard base.isMirrored, let activity = content.activity, let members = activity.members,
            let state = members["content-state"]?.object
        else { return nil }
        var mirror = PushTask(id: id.ofMirror, app: app.owner, created: created)
        mirror.dialect = base.dialect
        mirror.target.audience = base.audience
        mirror.target.list = .entries(base.entries)
        let message = MirroredState.message(
            of: activity.activity, event: activity.event, timestamp: activity.timestamp, state: state)
        for platform in MirroredState.platforms { mirror.content.messages[platform] = message }
        mirror.options.timeToLive = options.timeToLive
        mirror.options.priority = .normal
        return mirror
    }
}

extension TaskID {
    /// The version and the variant of the id stay.
    package var ofMirror: TaskID { TaskID(high: high ^ 0x6D69_7272 << 32, low: low) }
}
