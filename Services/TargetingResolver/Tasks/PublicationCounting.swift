import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Counts the publications of a delivery before its tasks are planned, so that an interruption loses none.
///
/// The store skips a message that it has counted. The same task in another message was planned with the first, which
/// messages of one key follow in order; that is looked up where a task may come again.
struct PublicationCounting: Sendable {
    private static let lookedUpAtOnce = 16

    let topics: any TopicStatistics
    let ledger: any Ledger
    let archive: any TaskArchive

    func count(_ messages: [ReceivedMessage<TaskMessage>], at now: Timestamp) async throws {
        let published = messages.compactMap { Publication($0) }.withoutRepeats
        guard !published.isEmpty else { return }
        let isCounted = try await published.concurrentMap(atOnce: PublicationCounting.lookedUpAtOnce) { publication in
            try await isKnown(publication, at: now)
        }
        let new = zip(published, isCounted).filter { !$0.1 }.map(\.0)
        for (place, publications) in Dictionary(grouping: new, by: \.place) {
            try await topics.count(publications.map(\.counted), from: place.partition, in: place.app)
        }
    }

    private func isKnown(_ publication: Publication, at now: Timestamp) async throws -> Bool {
        guard publication.mayBeRepeat else { return false }
        let task = publication.task
        if try await ledger.progress(of: task.id) != nil { return true }
        if try await archive.isReported(task.id) { return true }
        return try await archive.hasForgotten(task, at: now)
    }
}

extension [Publication] {
    /// The first message of each task.
    fileprivate var withoutRepeats: [Publication] {
        var known: Set<TaskID> = []
        return filter { known.insert($0.task.id).inserted }
    }
}
