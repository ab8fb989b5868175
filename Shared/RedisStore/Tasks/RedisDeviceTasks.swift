package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The last tasks of devices in Redis: a hash for 128 devices, which expires when its last entry does.
package struct RedisDeviceTasks: DeviceTasks {
    static let enter = RedisScript(PackageResources.enter_devices_lua, using: .clock)

    private let redis: StoreConnection
    private let time: any TimeSource

    package init(_ redis: StoreConnection, time: any TimeSource) {
        self.redis = redis
        self.time = time
    }

    package func enter(
        _ task: TaskID, closed: Timestamp, under devices: [DeviceIndex], of app: AppID
    ) async throws(StoreError) {
        let head = [
            RedisArgument(time.now.milliseconds), RedisArgument(task.bytes), RedisArgument(closed.milliseconds),
            RedisArgument(DeviceTaskBounds.retention.wholeMilliseconds), RedisArgument(DeviceTaskBounds.countMaximum),
        ]
        let buckets = Dictionary(grouping: devices) { RedisDeviceTasks.key(of: $0, in: app) }
        let calls = buckets.map { (key: String, devices: [DeviceIndex]) -> ScriptCall in
            let offsets = devices.map { RedisArgument(Int($0.offset)) }
            return ScriptCall(RedisDeviceTasks.enter, keys: [RedisArgument(key)], arguments: head + offsets)
        }
        _ = try await redis.run(calls)
    }

    package func tasks(of device: DeviceIndex, in app: AppID) async throws(StoreError) -> [TaskID] {
        let answer = try await redis.send(
            RedisCommand(
                "HGET", RedisArgument(RedisDeviceTasks.key(of: device, in: app)), RedisArgument(Int(device.offset))))
        var reader = ByteReader(answer.bytes ?? [])
        let oldest = time.now + (.zero - DeviceTaskBounds.retention)
        var tasks: [TaskID] = []
        while !reader.isAtEnd {
            guard let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }),
                let low = reader.integer(UInt32.self), let high = reader.integer(UInt16.self)
            else { throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the tasks of a device") }
            let closed = Timestamp(milliseconds: Int64(high) << 32 | Int64(low))
            if closed > oldest { tasks.append(task) }
        }
        return tasks.reversed()
    }

    package func forget(_ device: DeviceIndex, in app: AppID) async throws(StoreError) {
        _ = try await redis.send(
            RedisCommand(
                "HDEL", RedisArgument(RedisDeviceTasks.key(of: device, in: app)), RedisArgument(Int(device.offset))))
    }

    private static func key(of device: DeviceIndex, in app: AppID) -> String {
        let segment = SegmentID(app, number: device.segment)
        return "dtask:{\(segment)}:\(SegmentKeys.bucket(of: device.offset))"
    }
}
