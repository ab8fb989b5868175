package import PushModel

/// Why the devices of a message come now, and when their life begins. The same for all devices of a message.
package struct DeviceTiming: Hashable, Sendable {
    /// Stands for a life that begins with the task.
    private static let beginning = Int64.min
    /// Set in the byte of the cause.
    private static let slotBit: UInt8 = 0x80

    /// The devices come from a first mark, or as a retry, and live as long as their task.
    package static let ofTask = DeviceTiming()

    /// The cause for which the devices are deferred in the ledger: they are, or will be, released. Nil for a first
    /// attempt and for a retry.
    package let deferral: DeferralCause?
    /// Start of the devices' own life in milliseconds since 1970; nil for that of the task.
    package let begins: Int64?
    /// True for retries that waited for a slot of a rate, which they have now. Of deferred devices the cause says so.
    package let isPacedRetry: Bool

    package init(deferral: DeferralCause? = nil, begins: Int64? = nil, isPacedRetry: Bool = false) {
        self.deferral = deferral
        self.begins = begins
        self.isPacedRetry = isPacedRetry
    }

    /// The same devices once a sender has claimed them: from then on they are retried.
    package var claimed: DeviceTiming { DeviceTiming(begins: begins) }

    func write(to bytes: inout [UInt8]) {
        bytes.append((deferral?.rawValue ?? 0) | (isPacedRetry ? DeviceTiming.slotBit : 0))
        bytes.append(integer: begins ?? DeviceTiming.beginning)
    }

    init?(from reader: inout ByteReader) {
        guard let first = reader.byte(), let begins = reader.integer(Int64.self) else { return nil }
        let cause = first & ~DeviceTiming.slotBit
        guard cause == 0 || DeferralCause(rawValue: cause) != nil else { return nil }
        self.init(
            deferral: DeferralCause(rawValue: cause), begins: begins == DeviceTiming.beginning ? nil : begins,
            isPacedRetry: first != cause)
    }
}

extension ByteReader {
    /// The format with which a message begins, if it is one of these. Reads nothing.
    func format(in known: ClosedRange<UInt8>) -> UInt8? {
        var start = self
        return start.byte().flatMap { known.contains($0) ? $0 : nil }
    }
}
