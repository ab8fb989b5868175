package import PushModel
package import ServiceKit

/// When the states of a Live Activity were sent, and when the next one is: the decisions, without effects.
///
/// Apple's phones keep the state with the largest timestamp, in whole seconds. So each state that is sent gets a larger
/// one than the state before; updates within one second are sent as one, by the task that is *pending* until then.
package struct ActivityClock: Hashable, Sendable {
    /// A state that is being sent, or was.
    package struct Publication: Hashable, Sendable {
        package let task: TaskID
        /// Seconds since 1970, as phones compare them.
        package let timestamp: Int64
        /// Of the state that it sends.
        package let stamp: TaskID
        /// True for one that Apple counts against the app's hourly budget.
        package let isUrgent: Bool

        package init(task: TaskID, timestamp: Int64, stamp: TaskID, isUrgent: Bool) {
            self.task = task
            self.timestamp = timestamp
            self.stamp = stamp
            self.isUrgent = isUrgent
        }
    }

    /// A task that will send the newest state there is by then.
    package struct Pending: Hashable, Sendable {
        package let task: TaskID
        package let due: Timestamp
        /// Of the newest state that was requested. A release that has not read that state fails, since it finds another
        /// clock than it read.
        package fileprivate(set) var stamp: TaskID
        /// True once the task is durable. Until then each update sends it again.
        package var isSent: Bool

        package init(task: TaskID, due: Timestamp, stamp: TaskID, isSent: Bool = false) {
            self.task = task
            self.due = due
            self.stamp = stamp
            self.isSent = isSent
        }
    }

    /// A phone gets one state in each second of the wall clock.
    private static let interval = Duration.seconds(1)
    /// Between two states at least, so that the first has reached its phones before the second of the other begins.
    private static let distance = Duration.milliseconds(500)
    /// From one state until the next may be sent at the latest.
    package static let wait = distance + interval
    /// Publications that are remembered, to say what each device got last.
    package static let rememberedMaximum = 8

    /// The last timestamp that any phone was sent; 0 before the first.
    package private(set) var timestamp: Int64 = 0
    /// The newest last.
    package private(set) var publications: [Publication] = []
    /// What the newest one sends, so that a repeat sends the same, and a token that comes late gets it.
    package private(set) var content: [UInt8] = []
    package private(set) var released: Timestamp?
    package private(set) var pending: Pending?
    /// True once its end was requested.
    package private(set) var hasEnded = false
    /// Urgent publications in the hour that began then.
    package private(set) var urgent: (hour: Int64, count: Int) = (0, 0)

    package init() {}

    package var current: Publication? { publications.last }

    /// An activity begins. If it was started from here, its phones were sent a state with this timestamp.
    package mutating func begin(timestamp: Int64, at now: Timestamp) {
        var begun = ActivityClock()
        begun.timestamp = max(self.timestamp, timestamp)
        begun.released = timestamp > 0 ? now : nil
        self = begun
    }

    /// A clock that was lost goes on behind what may have been sent before, a state of this time, even if the wall clock
    /// was set back since.
    package mutating func pass(_ stored: Timestamp, at now: Timestamp) {
        guard released == nil, publications.isEmpty, stored > now else { return }
        timestamp = max(timestamp, stored.wholeSeconds + 1)
    }

    /// A state with this stamp is stored. Returns the publication that carries it: one that has begun, if it is not the
    /// pending one.
    package mutating func request(
        stamp: TaskID, isEnd: Bool, task: TaskID, at now: Timestamp
    ) -> (task: TaskID, pending: Pending?) {
        hasEnded = hasEnded || isEnd
        if let current, current.stamp == stamp, pending == nil { return (current.task, nil) }
        // A request may be repeated after its task was sent, which is never sent again.
        var next = pending ?? Pending(task: task.another(after: timestamp), due: nextRelease(at: now), stamp: stamp)
        next.stamp = stamp
        pending = next
        return (next.task, next)
    }

    private func nextRelease(at now: Timestamp) -> Timestamp {
        guard let earliest else { return now }
        // A clock that was set back must not keep the next state waiting.
        return min(max(now, earliest), now + ActivityClock.wait)
    }

    /// When the state after the last one may be sent: at the beginning of a second. If it were a second after that state,
    /// a phone would get two in one second of the wall clock whenever the first was the slower one. Nil before the first.
    package var earliest: Timestamp? {
        guard let released else { return nil }
        let second = ActivityClock.interval.wholeMilliseconds
        let seconds = ((released + ActivityClock.distance).milliseconds + second - 1) / second
        return Timestamp(milliseconds: seconds * second)
    }

    package mutating func noteSent(_ task: TaskID) {
        if pending?.task == task { pending?.isSent = true }
    }

    /// The task sends the state with this stamp now. Nil if a later state has been sent.
    package mutating func release(
        _ task: TaskID, stamp: TaskID, isUrgent: Bool, content: [UInt8], at now: Timestamp
    ) -> Publication? {
        if let current, current.task == task { return current }
        guard !publications.contains(where: { $0.task == task }) else { return nil }
        timestamp = max(timestamp + 1, now.wholeSeconds)
        let publication = Publication(task: task, timestamp: timestamp, stamp: stamp, isUrgent: isUrgent)
        publications = (publications + [publication]).suffix(ActivityClock.rememberedMaximum)
        self.content = content
        released = now
        if pending?.task == task { pending = nil }
        if isUrgent { countUrgent(at: now) }
        return publication
    }

    /// Those of the hour that Apple counts together, as far as is known: it begins with the hour of the clock.
    package func urgentCount(at now: Timestamp) -> Int {
        urgent.hour == now.wholeSeconds / 3_600 ? urgent.count : 0
    }

    private mutating func countUrgent(at now: Timestamp) {
        let hour = now.wholeSeconds / 3_600
        urgent = (hour, urgent.hour == hour ? urgent.count + 1 : 1)
    }

    package static func == (left: ActivityClock, right: ActivityClock) -> Bool {
        left.packed == right.packed
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(packed)
    }
}

extension TaskID {
    /// Another one after each timestamp. The version and the variant of the id stay.
    fileprivate func another(after timestamp: Int64) -> TaskID {
        TaskID(high: high ^ UInt64(bitPattern: timestamp) << 16, low: low)
    }
}

extension Timestamp {
    fileprivate var wholeSeconds: Int64 { milliseconds / 1_000 }
}

extension ActivityClock {
    private static let format: UInt8 = 1

    package var packed: [UInt8] {
        var bytes: [UInt8] = [ActivityClock.format]
        bytes.append(integer: UInt64(bitPattern: timestamp))
        bytes.append(integer: UInt64(bitPattern: released?.milliseconds ?? -1))
        bytes.append(integer: UInt64(bitPattern: urgent.hour))
        bytes.append(variableInteger: urgent.count)
        bytes.append((pending == nil ? 0 : 1) | (hasEnded ? 2 : 0))
        if let pending {
            bytes += pending.task.bytes + pending.stamp.bytes
            bytes.append(integer: UInt64(bitPattern: pending.due.milliseconds))
            bytes.append(pending.isSent ? 1 : 0)
        }
        bytes.append(variableInteger: publications.count)
        for publication in publications {
            bytes += publication.task.bytes + publication.stamp.bytes
            bytes.append(integer: UInt64(bitPattern: publication.timestamp))
            bytes.append(publication.isUrgent ? 1 : 0)
        }
        return bytes + content
    }

    /// Nil if it is malformed.
    private static func pending(isThere: Bool, from reader: inout ByteReader) -> Pending?? {
        isThere ? Pending(from: &reader).map { $0 } : .some(nil)
    }

    /// Nil if the bytes are no clock.
    package init?(packed bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes))
        guard reader.byte() == ActivityClock.format, let timestamp = reader.number(), let released = reader.number(),
            let hour = reader.number(), let count = reader.variableInteger(), let flags = reader.byte(),
            let pending = ActivityClock.pending(isThere: flags & 1 != 0, from: &reader),
            let publicationCount = reader.variableInteger(), publicationCount <= ActivityClock.rememberedMaximum
        else { return nil }
        self.init()
        for _ in 0..<publicationCount {
            guard let publication = Publication(from: &reader) else { return nil }
            publications.append(publication)
        }
        self.timestamp = timestamp
        self.released = released < 0 ? nil : Timestamp(milliseconds: released)
        urgent = (hour, count)
        self.pending = pending
        hasEnded = flags & 2 != 0
        content = Array(reader.rest())
    }
}

extension ActivityClock.Pending {
    fileprivate init?(from reader: inout ByteReader) {
        guard let task = reader.task(), let stamp = reader.task(), let due = reader.number(), let isSent = reader.byte()
        else { return nil }
        self.init(task: task, due: Timestamp(milliseconds: due), stamp: stamp, isSent: isSent != 0)
    }
}

extension ActivityClock.Publication {
    fileprivate init?(from reader: inout ByteReader) {
        guard let task = reader.task(), let stamp = reader.task(), let timestamp = reader.number(),
            let isUrgent = reader.byte()
        else { return nil }
        self.init(task: task, timestamp: timestamp, stamp: stamp, isUrgent: isUrgent != 0)
    }
}

extension ByteReader {
    fileprivate mutating func task() -> TaskID? { bytes(16).flatMap { TaskID(bytes: Array($0)) } }

    fileprivate mutating func number() -> Int64? { integer(UInt64.self).map { Int64(bitPattern: $0) } }
}
