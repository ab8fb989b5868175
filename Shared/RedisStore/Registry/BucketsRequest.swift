import PushModel
import RedisClient
import ServiceKit
import Store

/// Reads the records of some devices of a segment, bucket by bucket, with plain commands: a script takes fourteen
/// times as long, as each record becomes a string of Lua's (decision 7).
struct BucketsRequest {
    /// If more devices of a bucket are requested, all of it is read, because each field lookup walks the listpack.
    private static let pickedMaximum = 24

    private let offsets: SegmentSet
    private let header: RedisArgument
    private let generation: RegistryGeneration
    /// The fields that are read of each bucket; empty for all of them.
    private let buckets: [(number: Int, key: RedisArgument, fields: [UInt8])]

    init(_ offsets: SegmentSet, in segment: SegmentID, generation: RegistryGeneration) {
        let keys = SegmentKeys(segment)
        self.offsets = offsets
        self.generation = generation
        header = keys.header
        var wanted = [[UInt8]](repeating: [], count: SegmentKeys.bucketCount)
        for offset in offsets.offsets {
            wanted[SegmentKeys.bucket(of: offset)].append(UInt8(SegmentKeys.field(of: offset)))
        }
        buckets = wanted.enumerated().filter { !$0.element.isEmpty }.map { number, fields in
            (number, keys.devices(number), fields.count > BucketsRequest.pickedMaximum ? [] : fields)
        }
    }

    /// One pipeline. The generation is read last: generations rise, so what was read before is of this one too.
    var commands: [RedisCommand] {
        buckets.map { bucket in
            guard !bucket.fields.isEmpty else { return RedisCommand("HGETALL", bucket.key) }
            return RedisCommand(["HMGET", bucket.key] + bucket.fields.map { RedisArgument(Int($0)) })
        } + [RedisCommand("HGET", header, "generation")]
    }

    /// Nil if the replies are of another registry.
    func devices(from replies: [RedisValue]) throws(StoreError) -> PackedDevices? {
        guard replies.last?.string == generation.id else { return nil }
        guard replies.count == buckets.count + 1 else { throw BucketsRequest.corrupt }
        var devices = PackedDevices()
        for (bucket, reply) in zip(buckets, replies) {
            guard let values = reply.array else { throw BucketsRequest.corrupt }
            for (field, record) in try BucketsRequest.records(values, fields: bucket.fields).enumerated() {
                let offset = UInt16(bucket.number * SegmentKeys.bucketDevices + field)
                guard let record, record.first != StoredDevice.removalMark, offsets.contains(offset) else { continue }
                devices.append(offset: offset, record: record)
            }
        }
        return devices
    }

    /// By field. Redis lists the devices of a whole bucket in the order of their insertion.
    private static func records(_ values: [RedisValue], fields: [UInt8]) throws(StoreError) -> [[UInt8]?] {
        var records = [[UInt8]?](repeating: nil, count: SegmentKeys.bucketDevices)
        guard fields.isEmpty else {
            for (field, value) in zip(fields, values) { records[Int(field)] = value.bytes }
            return records
        }
        for at in stride(from: 0, to: values.count - 1, by: 2) {
            var text = values[at].bytes?[...] ?? []
            guard let field = text.popNumber(digitsMaximum: 3), text.isEmpty, records.indices.contains(Int(field)),
                let record = values[at + 1].bytes
            else { throw corrupt }
            records[Int(field)] = record
        }
        return records
    }

    private static let corrupt = StoreError(
        .corrupt, message: "invalid data in Redis: cannot decode the devices of a bucket")
}
