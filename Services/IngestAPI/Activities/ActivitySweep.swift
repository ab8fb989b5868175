import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Ends Live Activities that nothing has ended, and forgets those that ended long ago, with their tokens and channels. Every step may
/// be repeated, and done by several processes at once.
struct ActivitySweep: Sendable {
    /// As long as phones show an activity.
    static let longestLife = Duration.seconds(8 * 3_600)
    /// Until an activity that has ended is forgotten: phones show its last state for four hours at most.
    static let retention = Duration.seconds(12 * 3_600)
    private static let pageMaximum = 200
    private static let atOnceMaximum = 16

    struct Report: Sendable, Equatable {
        var ended = 0
        var forgotten = 0
    }

    let publishing: ActivityPublishing
    let registry: any Registry
    let reader: any RegistryReader
    let time: any TimeSource

    private var book: ActivityBook { publishing.book }

    func perform(in app: AppID) async throws -> Report {
        let space = app.activities
        var report = Report()
        var last: ActivityPlace?
        while true {
            let page = try await book.oldest(after: last, limit: ActivitySweep.pageMaximum, in: space)
            for place in page {
                // The others began later.
                guard time.now - place.time >= ActivitySweep.longestLife else { return report }
                try await look(at: place.activity, in: space, report: &report)
            }
            guard page.count == ActivitySweep.pageMaximum else { return report }
            last = page.last
        }
    }

    private func look(at id: ActivityID, in space: AppID, report: inout Report) async throws {
        guard let known = try await book.activity(id, in: space) else { return }
        if let ended = known.ended {
            guard time.now - ended >= ActivitySweep.retention else { return }
            try await removeEndpoints(of: id, in: space)
            try await book.forget(id, in: space)
            report.forgotten += 1
        } else {
            let stamp = publishing.submission.freshID()
            let state = ActivityState(
                stamp: stamp, contentState: known.newest?.contentState ?? JSONObject())
            _ = try await publishing.put(state, isEnd: true, task: stamp, of: id, in: space, trace: nil)
            report.ended += 1
        }
    }

    private func removeEndpoints(of id: ActivityID, in space: AppID) async throws {
        for number in try await reader.segments(of: .topic(id.topic), in: space) {
            let endpoints = try await reader.endpoints(of: id, in: SegmentID(space, number: number))
            _ = try await endpoints.concurrentMap(atOnce: ActivitySweep.atOnceMaximum) { [registry] endpoint in
                try await registry.remove(endpoint.id, in: space)
            }
        }
    }
}
