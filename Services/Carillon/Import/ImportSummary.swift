import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// What an import has done so far: the content of its report, and of the state from which it resumes.
struct ImportSummary: Equatable, Sendable {
    /// Samples of each omission that are kept; all are counted.
    private static let samplesMaximum = 5

    struct Omitted: Equatable, Sendable {
        var count = 0
        /// The subscriber's id and what is wrong.
        var samples: [String] = []
    }

    /// Subscribers read.
    var subscribers = 0
    var takenOver = 0
    /// Their devices were created by an earlier run.
    var takenBefore = 0
    /// Their devices had registered with Carillon.
    var registered = 0
    var subscriptions = 0
    var protocols: [PushProtocol: Int] = [:]
    private(set) var omissions: [ImportOmission: Omitted] = [:]

    var isComplete: Bool { omissions.isEmpty }

    mutating func add(_ omission: ImportOmission, count: Int = 1, sample: @autoclosure () -> String) {
        var omitted = omissions[omission] ?? Omitted()
        omitted.count += count
        if omitted.samples.count < ImportSummary.samplesMaximum { omitted.samples.append(sample()) }
        omissions[omission] = omitted
    }

    static func += (left: inout ImportSummary, right: ImportSummary) {
        left.subscribers += right.subscribers
        left.takenOver += right.takenOver
        left.takenBefore += right.takenBefore
        left.registered += right.registered
        left.subscriptions += right.subscriptions
        left.protocols.merge(right.protocols, uniquingKeysWith: +)
        for (omission, other) in right.omissions {
            var omitted = left.omissions[omission] ?? Omitted()
            omitted.count += other.count
            omitted.samples += other.samples.prefix(samplesMaximum - omitted.samples.count)
            left.omissions[omission] = omitted
        }
    }
}

extension ImportSummary {
    func write(to json: inout JSONText) {
        json.member("subscribers", subscribers)
        json.member("taken_over", takenOver)
        json.member("taken_before", takenBefore)
        json.member("registered", registered)
        json.member("subscriptions", subscriptions)
        json.member("protocols") { json in
            for (kind, count) in protocols.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                json.member(kind.name, count)
            }
        }
        json.member("left_out") { json in
            for omission in ImportOmission.allCases {
                guard let omitted = omissions[omission] else { continue }
                json.member(omission.rawValue) { json in
                    json.member("count", omitted.count)
                    let samples = omitted.samples.map { JSON.string($0).compactText }
                    json.member("samples", json: "[" + samples.joined(separator: ",") + "]")
                }
            }
        }
    }

    /// Nil for another document.
    init?(_ json: JSON) {
        guard let subscribers = json.count("subscribers"), let takenOver = json.count("taken_over"),
            let takenBefore = json.count("taken_before"), let registered = json.count("registered"),
            let subscriptions = json.count("subscriptions"), let protocols = json["protocols"]?.object,
            let omissions = json["left_out"]?.object
        else { return nil }
        self.init()
        self.subscribers = subscribers
        self.takenOver = takenOver
        self.takenBefore = takenBefore
        self.registered = registered
        self.subscriptions = subscriptions
        for kind in PushProtocol.ofDevices { self.protocols[kind] = JSON.object(protocols).count(kind.name) }
        for omission in ImportOmission.allCases {
            guard let omitted = omissions[omission.rawValue] else { continue }
            guard let count = omitted.count("count"), let samples = omitted["samples"]?.elements else { return nil }
            self.omissions[omission] = Omitted(count: count, samples: samples.compactMap(\.text))
        }
    }
}
