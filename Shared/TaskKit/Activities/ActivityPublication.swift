package import PushModel
package import ServiceKit
package import Store
package import TaskModel

extension TaskID {
    /// The id of the task that sends a state to a token that came late: the same whenever it is repeated.
    package static func lateState(_ stamp: TaskID, for device: DeviceID) -> TaskID {
        let own = UInt64(device.index.rawValue) << 32 | UInt64(device.tag)
        // The version and the variant of the id stay.
        return TaskID(high: stamp.high ^ own << 16 & ~0xFFFF, low: stamp.low ^ own & ~(0b11 << 62))
    }
}

extension PushTask {
    /// How long providers and Carillon try to deliver a state.
    private static let timeOfState = Duration.seconds(3_600)

    /// The task that sends the newest state of the activity to all of its tokens and its channel; what that is, is
    /// decided when the task is sent.
    package static func publication(
        _ id: TaskID, of activity: ActivityID, in space: AppID, due: Timestamp, created: Timestamp
    ) -> PushTask {
        var task = PushTask(id: id, app: space, created: created)
        if due > created { task.sendAt = due }
        task.target.audience = .topic(activity.topic)
        task.content.activity = ActivityContent(.update, of: activity)
        task.options.timeToLive = timeOfState
        return task
    }

    /// The same with what it sends.
    package func publishing(
        _ state: ActivityState, isEnd: Bool, as publication: ActivityClock.Publication
    ) -> PushTask {
        var task = self
        guard let activity = content.activity?.activity else { return task }
        var decided = ActivityContent(isEnd ? .end : .update, of: activity)
        decided.timestamp = publication.timestamp
        decided.members = state.members
        task.content.activity = decided
        task.options.priority = state.isUrgent ? .high : .normal
        return task
    }

    /// True for a task that sends a state of a Live Activity, or its end.
    package var isPublication: Bool { content.activity.map { $0.event != .start } ?? false }

    /// True for a publication whose state is not decided yet.
    package var awaitsState: Bool {
        isPublication && content.activity?.members == nil
    }

    /// Sends the current state to a token that was registered after its publication.
    package static func lateState(
        _ id: TaskID, for device: DeviceID, state: ActivityState, isEnd: Bool,
        as publication: ActivityClock.Publication,
        of activity: ActivityID, in space: AppID, created: Timestamp
    ) -> PushTask {
        var task = PushTask.publication(id, of: activity, in: space, due: created, created: created)
        task.target.audience = nil
        task.target.list = .entries([.device(device)])
        return task.publishing(state, isEnd: isEnd, as: publication)
    }
}
