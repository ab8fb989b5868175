import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit
import TaskModel
import Topics

/// Registers the channels that senders made for Live Activities in the apps' spaces of activities, so that updates are
/// sent to them. A sender has no access to the log of the registry; the results of the pushes that started the activity
/// tell of its channel.
///
/// Results come again, and after a crash everything is repeated: the base of the activity gets the channel last.
final class ChannelRegistration: Sendable {
    /// A task that starts an activity with a channel.
    private struct Start {
        let activity: ActivityID
        /// The environments whose channels are registered.
        var registered: Set<Device.Environment> = []
    }

    private enum Known {
        case start(Start)
        case other
    }

    private static let knownMaximum = 4_096

    private let registry: any Registry
    private let channels: any ActivityChannels
    private let book: ActivityBook
    private let archive: any TaskArchive
    private let producer: any BusProducer
    private let known = Mutex(RecentlyUsed<TaskID, Known>(costMaximum: ChannelRegistration.knownMaximum))

    init(
        registry: any Registry & Activities & ActivityChannels, archive: any TaskArchive, producer: any BusProducer,
        time: any TimeSource
    ) {
        self.registry = registry
        channels = registry
        book = ActivityBook(registry, time: time)
        self.archive = archive
        self.producer = producer
    }

    func note(_ batches: [ResultBatch]) async throws {
        let starts = batches.filter { batch in
            !batch.app.isSpace
                && batch.results.contains { $0.provider == .liveActivity && $0.state == .delivered }
        }
        for (task, batches) in Dictionary(grouping: starts, by: \.task) {
            try await register(task, of: batches[0].app)
        }
    }

    private func register(_ task: TaskID, of app: AppID) async throws {
        guard case .start(var start) = try await look(up: task) else { return }
        let found = try await channels(of: start, in: app.activities)
        guard !found.isEmpty else { return }
        try await register(found, of: start.activity, in: app.activities)
        start.registered.formUnion(found.keys)
        known.withLock { $0.set(.start(start), for: task) }
    }

    private func look(up task: TaskID) async throws -> Known {
        if let known = known.withLock({ $0.value(for: task) }) { return known }
        var answer = Known.other
        if let content = try await archive.readableTask(task)?.content.activity, content.feed == .channel {
            answer = .start(Start(activity: content.activity))
        }
        known.withLock { $0.set(answer, for: task) }
        return answer
    }

    /// Those that are not registered.
    private func channels(of start: Start, in space: AppID) async throws -> [Device.Environment: PushToken] {
        var found: [Device.Environment: PushToken] = [:]
        for environment in Device.Environment.allCases where !start.registered.contains(environment) {
            let place = ChannelPlace(start.activity, in: environment)
            if case .open(let id) = try await channels.channel(of: place, in: space) { found[environment] = id }
        }
        return found
    }

    private func register(
        _ found: [Device.Environment: PushToken], of id: ActivityID, in space: AppID
    ) async throws {
        guard let activity = try await book.activity(id, in: space) else { return }
        for (environment, channel) in found where activity.base.channels[environment] != channel.text {
            let registration = try await registry.register(
                channel, changes: DeviceChanges(environment: environment), in: space)
            let endpoint = registration.registered.id
            _ = try await registry.subscribe(endpoint, to: id.topic, options: [], in: space)
            if let task = try await book.lateState(of: id, to: endpoint, in: space) {
                _ = try await producer.send([Topics.tasks.message(.task(task), key: Topics.key(task.id))])
            }
        }
        try await keep(found, in: activity, of: space)
    }

    /// The activity is read again: it may have ended since, and one of the same name may have begun.
    private func keep(
        _ found: [Device.Environment: PushToken], in activity: KnownActivity, of space: AppID
    ) async throws {
        guard let current = try await book.activity(activity.id, in: space), current.begun == activity.begun else {
            return
        }
        var base = current.base
        for (environment, channel) in found { base.channels[environment] = channel.text }
        guard base != current.base else { return }
        try await book.save(base, of: activity.id, begun: current.begun, in: space)
    }
}
