import PushModel
import RedisClient
import ServiceKit
import Store

/// Reads the records of some devices of a segment, bucket by bucket. If many devices of a bucket are requested, it
/// reads the whole bucket, because each field lookup walks the listpack.
struct BucketsRequest {
    /// Redis serves no other client while a script runs: 512 records take about a millisecond.
    private static let bucketsOfCall = 4
    private static let pickedMaximum = 24

    private let offsets: SegmentSet
    private let buckets: [Int]
    let calls: [ScriptCall]

    init(_ offsets: SegmentSet, in segment: SegmentID, generation: RegistryGeneration) {
        let keys = SegmentKeys(segment)
        self.offsets = offsets
        var wanted = [[UInt8]](repeating: [], count: SegmentKeys.bucketCount)
        for offset in offsets.offsets {
            wanted[SegmentKeys.bucket(of: offset)].append(UInt8(SegmentKeys.field(of: offset)))
        }
        let buckets = wanted.indices.filter { !wanted[$0].isEmpty }
        self.buckets = buckets
        calls = buckets.chunks(of: BucketsRequest.bucketsOfCall).map { part in
            ScriptCall(
                RegistryScripts.readBuckets, keys: [keys.header] + part.map(keys.devices),
                arguments: [RedisArgument(generation.id)]
                    + part.map { bucket in
                        RedisArgument(wanted[bucket].count > BucketsRequest.pickedMaximum ? [] : wanted[bucket])
                    })
        }
    }

    func devices(from replies: [RedisValue]) throws(StoreError) -> PackedDevices {
        let blobs = replies.flatMap { $0.array ?? [] }.compactMap(\.bytes)
        guard blobs.count == buckets.count else {
            throw StoreError(.corrupt, message: "invalid reply: cannot decode devices")
        }
        var devices = PackedDevices()
        for (bucket, blob) in zip(buckets, blobs) { try append(blob, of: bucket, to: &devices) }
        return devices
    }

    /// Redis lists the devices of a bucket in insertion order.
    private func append(_ blob: [UInt8], of bucket: Int, to devices: inout PackedDevices) throws(StoreError) {
        var places = [(start: Int, count: Int)](repeating: (0, 0), count: SegmentKeys.bucketDevices)
        var position = 0
        while position < blob.count {
            guard position + 3 <= blob.count, Int(blob[position]) < places.count else {
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the devices of a bucket")
            }
            let count = Int(blob[position + 1]) + Int(blob[position + 2]) << 8
            guard position + 3 + count <= blob.count else {
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the devices of a bucket")
            }
            places[Int(blob[position])] = (position + 3, count)
            position += 3 + count
        }
        for (field, place) in places.enumerated() where place.count > 0 {
            let offset = UInt16(bucket * SegmentKeys.bucketDevices + field)
            guard offsets.contains(offset) else { continue }
            devices.append(offset: offset, record: blob[place.start..<place.start + place.count])
        }
    }
}
