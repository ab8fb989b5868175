package import PushModel
package import ServiceKit
package import TaskModel

/// What a report says about its task beside the outcomes: what statistics are made of.
package struct ReportDetails: Hashable, Sendable {
    /// When it was to be sent; nil if that is not known any more.
    package var begins: Timestamp?
    package var labels = TaskLabels()
    /// The topics whose subscribers it addresses.
    package var topics: [TopicName] = []
    /// How the moment of a task with a window was chosen; nil for other tasks.
    package var method: DeliveryWindow.Method?
    /// The devices of known platform.
    package var platforms: [Platform: OutcomeCounts] = [:]

    package init() {}

    package init(of task: PushTask) {
        begins = task.begins
        labels = task.labels
        topics = task.target.audience?.includedTopics ?? []
        method = task.window?.method
    }
}

/// The format in traces, which keep it beside the outcomes: five bytes for a single push. A version and flags in one
/// byte, then the time, labels and topics, each only if its flag is set, and the platforms. The version of a task with a
/// window has the number of its method before the time.
extension ReportDetails {
    private static let version: UInt8 = 1
    private static let versionWithMethod: UInt8 = 2
    private static let methods: [UInt8: DeliveryWindow.Method] = [1: .contextAware, 2: .traditional]

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let hasTime = Flags(rawValue: 1)
        /// The time is that of the task's creation, which the trace has.
        static let beginsAtOnce = Flags(rawValue: 2)
        static let hasLabels = Flags(rawValue: 4)
        static let hasTopics = Flags(rawValue: 8)
    }

    /// `created` is the task's creation.
    package func packed(created: Timestamp?) -> [UInt8] {
        let isAtOnce = begins != nil && begins == created
        var flags: Flags = isAtOnce ? [.beginsAtOnce] : begins == nil ? [] : [.hasTime]
        if !labels.areEmpty { flags.insert(.hasLabels) }
        if !topics.isEmpty { flags.insert(.hasTopics) }
        let number = ReportDetails.methods.first { $0.value == method }?.key
        var bytes = [
            (number == nil ? ReportDetails.version : ReportDetails.versionWithMethod) << 4 | flags.rawValue
        ]
        if let number { bytes.append(number) }
        if let begins, !isAtOnce { bytes.append(integer: begins.milliseconds) }
        if !labels.areEmpty { bytes.append(variableInteger: labels.all.count) }
        for label in labels.all {
            bytes.append(counted: label.name.utf8)
            bytes.append(counted: label.value.utf8)
        }
        if !topics.isEmpty { bytes.append(variableInteger: topics.count) }
        for topic in topics { bytes.append(counted: topic.text.utf8) }
        for platform in Platform.allCases {
            guard let counts = platforms[platform] else { continue }
            let states = OutcomeCounts.states.filter { counts[$0] > 0 }
            bytes += [platform.number, UInt8(states.count)]
            for state in states {
                bytes.append(state.rawValue)
                bytes.append(variableInteger: counts[state])
            }
        }
        return bytes
    }

    /// Nil for an unknown version.
    package init?(packed bytes: [UInt8], created: Timestamp?) {
        var reader = ByteReader(bytes)
        guard let head = reader.byte() else { return nil }
        switch head >> 4 {
        case ReportDetails.version: break
        case ReportDetails.versionWithMethod:
            guard let number = reader.byte() else { return nil }
            method = ReportDetails.methods[number]
        default: return nil
        }
        let flags = Flags(rawValue: head & 15)
        if flags.contains(.beginsAtOnce) { begins = created }
        if flags.contains(.hasTime) {
            guard let time = reader.integer(Int64.self), time.magnitude < 1 << 48 else { return nil }
            begins = Timestamp(milliseconds: time)
        }
        if flags.contains(.hasLabels) {
            guard let labels = ReportDetails.labels(&reader) else { return nil }
            self.labels = labels
        }
        if flags.contains(.hasTopics) {
            guard let count = reader.variableInteger(), count <= Audience.topicsMaximum else { return nil }
            for _ in 0..<count {
                guard let topic = reader.text().flatMap({ try? TopicName($0) }) else { return nil }
                topics.append(topic)
            }
        }
        while !reader.isAtEnd {
            guard let number = reader.byte(), let counts = ReportDetails.counts(&reader) else { return nil }
            // A platform of a later version counts as unknown.
            if let platform = Platform.allCases.first(where: { $0.number == number }) { platforms[platform] = counts }
        }
    }

    private static func labels(_ reader: inout ByteReader) -> TaskLabels? {
        guard let count = reader.variableInteger(), count <= TaskLabels.countMaximum else { return nil }
        var labels = TaskLabels()
        for _ in 0..<count {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            labels[name] = value
        }
        return labels
    }

    private static func counts(_ reader: inout ByteReader) -> OutcomeCounts? {
        guard let count = reader.byte(), count <= OutcomeCounts.states.count else { return nil }
        var counts = OutcomeCounts()
        for _ in 0..<count {
            guard let state = reader.byte().flatMap(DeliveryState.init(rawValue:)), state.isTerminal,
                let devices = reader.variableInteger()
            else { return nil }
            counts[state] = devices
        }
        return counts
    }
}
