import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Decides whether a task is for few devices or for many.
struct AudienceSizer: Sendable {
    /// Audiences up to this size are resolved immediately, in the fast lane.
    static let fewMaximum = TargetList.atOnceMaximum

    enum Finding: Sendable {
        case few(FoundDevices)
        /// With the segments that hold members of the audience.
        case many([SegmentNumber])

        var isForMany: Bool {
            switch self {
            case .few: false
            case .many: true
            }
        }
    }

    let search: DeviceSearch
    let archive: any TaskArchive

    /// Counted before filtering, by provider and by the filters of the audience, which takes the records: a task may be
    /// taken for larger than it is, and a filter that matches few of many devices never makes this stage, which single
    /// pushes pass, read the records of all. If a segment is lost its job waits for it, planning does not.
    func measure(_ input: ResolutionInput) async throws -> Finding {
        let segments = try await search.segments(input)
        do {
            return try await measure(input, segments: segments)
        } catch {
            guard try await search.isOfOneSegment(error) else { throw error }
            return .many(segments)
        }
    }

    private func measure(_ input: ResolutionInput, segments: [SegmentNumber]) async throws -> Finding {
        guard input.list.entryCount <= AudienceSizer.fewMaximum, let entries = try await entries(of: input) else {
            return .many(segments)
        }
        var candidates = Gathering()
        let listed = try await search.listed(entries, in: input.app)
        for part in listed.candidates { candidates.add(part) }
        if let audience = input.audience {
            for some in segments.chunks(of: DeviceSearch.questionsAtOnce).map(Array.init) {
                guard candidates.count <= AudienceSizer.fewMaximum else { return .many(segments) }
                let reaches = try await some.concurrentMap(atOnce: DeviceSearch.questionsAtOnce) { segment in
                    try await search.reach(audience, in: segment, of: input.app)
                }
                for (segment, reach) in zip(some, reaches) { candidates.add(reach, in: segment) }
            }
        }
        guard candidates.count <= AudienceSizer.fewMaximum else { return .many(segments) }
        return .few(try await search.find(candidates.sorted, listed: listed, input: input))
    }

    /// List and audience together, each device once.
    private struct Gathering {
        private var parts: [SegmentNumber: CandidateDevices] = [:]
        private(set) var count = 0

        var sorted: [CandidateDevices] { parts.values.sorted { $0.segment < $1.segment } }

        mutating func add(_ listed: CandidateDevices) {
            parts[listed.segment] = listed
            count += listed.offsets.count
        }

        mutating func add(_ reach: AudienceReach, in segment: SegmentNumber) {
            guard !reach.selection.members.isEmpty else { return }
            var part = parts[segment] ?? CandidateDevices(segment: segment)
            count -= part.offsets.count
            part.add(reach)
            count += part.offsets.count
            parts[segment] = part
        }
    }

    /// Nil if a part is missing: its job waits for it, planning does not.
    private func entries(of input: ResolutionInput) async throws -> ListedEntries? {
        switch input.list {
        case .entries(let entries): return ListedEntries(entries)
        case .parts(let count, _):
            var entries = ListedEntries()
            for number in 0..<count {
                guard let part = try await archive.part(number, of: input.task) else { return nil }
                entries.add(try TaskPart(archived: part, of: input.task))
            }
            return entries
        }
    }
}
