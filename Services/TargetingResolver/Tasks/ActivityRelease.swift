import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Decides what a publication of a Live Activity sends, at the moment at which it is sent: updates that came meanwhile
/// are sent with it.
struct ActivityRelease: Sendable {
    enum Step: Sendable {
        /// With the encoded task, and the one that sends the same to other devices of the activity's users.
        case go(PushTask, value: [UInt8], mirror: PushTask?)
        /// The publication before is still on its way to some phones: a state that gave way to each newer one would never
        /// reach the last of them.
        case wait(PushTask)
        /// A later state was sent, the task is reported, or the activity is forgotten.
        case superseded(PushTask)
    }

    /// Until the next look at the publication before.
    private static let pause = Duration.milliseconds(250)
    /// After this time it gives way: its provider may be in an outage.
    private static let patience = Duration.seconds(30)

    let book: ActivityBook
    let ledger: any Ledger
    let archive: any TaskArchive

    func step(of task: PushTask, at now: Timestamp) async throws -> Step {
        guard let activity = task.content.activity?.activity else { return .superseded(task.withdrawn) }
        // Of the first delivery of the message.
        if let value = try await archive.content(of: task.id) {
            let kept = try PushTask(archived: value, of: task.id)
            guard kept.awaitsState else {
                let known = try await book.activity(activity, in: task.app)
                return .go(kept, value: value, mirror: known.flatMap { kept.mirror(of: $0.base) })
            }
        }
        // A clock that was lost does not know what it has sent.
        if try await archive.isReported(task.id) { return .superseded(task.withdrawn) }
        if let next = try await nextLook(before: task, at: now) { return .wait(task.waiting(until: next)) }
        guard let release = try await book.release(task.id, of: activity, in: task.app) else {
            return .superseded(task.withdrawn)
        }
        let decided = task.publishing(release.state, isEnd: release.isEnd, as: release.publication)
        return .go(
            decided, value: TaskMessage.task(decided).encoded(), mirror: decided.mirror(of: release.activity.base))
    }

    /// Nil if the publication may go now.
    private func nextLook(before task: PushTask, at now: Timestamp) async throws -> Timestamp? {
        guard let activity = task.content.activity?.activity else { return nil }
        let clock = try await book.clock(of: activity, in: task.app)
        guard let current = clock.current, current.task != task.id, let released = clock.released,
            let earliest = clock.earliest
        else { return nil }
        // A clock that was set back must not stop an activity.
        if now < earliest, earliest - now <= ActivityClock.wait { return earliest }
        guard now < released + ActivityRelease.patience, try await isSpreading(current.task) else { return nil }
        return now + ActivityRelease.pause
    }

    /// True while devices of the task wait to be sent to for the first time.
    private func isSpreading(_ task: TaskID) async throws -> Bool {
        guard let progress = try await ledger.progress(of: task), progress.closed == nil else { return false }
        return progress.jobsResolved < progress.plan.jobs || progress.counts[.targeted] > 0
    }
}

extension PushTask {
    fileprivate func waiting(until next: Timestamp) -> PushTask {
        var task = self
        task.sendAt = next
        return task
    }
}
