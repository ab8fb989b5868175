import PushModel
import ServiceKit
import Store

/// Decodes the deferred devices of a segment; `Scripts/Ledger/deferrals.lua` describes the format.
enum RedisDeferralEncoding {
    /// Adds the devices of each cause. Nil if the bytes cannot be decoded.
    static func add(_ bytes: [UInt8], to summary: inout DeferralSummary) -> Void? {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard let cause = reader.byte().flatMap(DeferralCause.init), let count = reader.integer(UInt16.self),
                let due = moment(from: &reader)
            else { return nil }
            summary.add(Int(count), due: due, for: cause)
        }
        return ()
    }

    /// The detail of a deferred device, which is in one of the groups. Nil if none of them has it.
    static func detail(of offset: UInt16, groups: [(name: [UInt8], value: [UInt8])]) -> OutcomeDetail? {
        for (name, value) in groups {
            var (nameReader, valueReader) = (ByteReader(name), ByteReader(value))
            guard let due = moment(from: &nameReader), let cause = nameReader.byte().flatMap(DeferralCause.init),
                nameReader.isAtEnd, let time = moment(from: &valueReader),
                RedisLedgerEncoding.set(ofRanges: Array(valueReader.rest()))?.contains(offset) == true
            else { continue }
            return OutcomeDetail(
                state: .deferred, attempt: 0, time: time, status: 0, reason: cause.name, due: due)
        }
        return nil
    }

    private static func moment(from reader: inout ByteReader) -> Timestamp? {
        guard let low = reader.integer(UInt32.self), let high = reader.integer(UInt16.self) else { return nil }
        return Timestamp(milliseconds: Int64(high) << 32 | Int64(low))
    }
}
