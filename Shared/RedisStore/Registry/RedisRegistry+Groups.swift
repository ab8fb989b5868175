package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: TransferGroups {
    /// Longer than a change takes until it is applied or has failed.
    private static let reservationLife = Duration.seconds(15)

    package func groups(in app: AppID) async throws(StoreError) -> [TransferGroup] {
        try await within(app) { scope in
            let fields = try await read([], of: \.groups, in: scope)
            var groups: [TransferGroup] = []
            for place in stride(from: 0, to: fields.count - 1, by: 2) {
                guard let id = fields[place].integer else { throw RedisRegistry.corruptGroup }
                groups.append(try RedisRegistry.group(id, from: fields[place + 1]))
            }
            return groups.sorted { $0.id < $1.id }
        }
    }

    package func group(_ id: Int64, in app: AppID) async throws(StoreError) -> TransferGroup? {
        try await within(app) { scope in
            guard let value = try await read([RedisArgument(id)], of: \.groups, in: scope).first, !value.isNull else {
                return nil
            }
            return try RedisRegistry.group(id, from: value)
        }
    }

    /// The name is reserved before the change is committed, so that two groups with one name are not both on their way
    /// through the log.
    package func save(_ group: TransferGroup, in app: AppID) async throws(StoreError) -> TransferGroupVerdict {
        try await within(app) { scope in
            let keys = try await openFirstSegment(in: scope)
            let reply = try await redis.run(reservation(of: group, keys: keys, in: scope))
            switch reply.integer.flatMap({ GroupReplyCode(rawValue: $0) }) {
            case .taken: return .nameTaken
            case .tooMany: return .tooMany
            case nil: throw StoreError(.corrupt, message: "unexpected reply to the reservation of a name: \(reply)")
            case .free: break
            }
            try await commit([.group(group)], in: scope)
            _ = try await redis.run(
                ScriptCall(
                    RegistryScripts.releaseGroup, keys: [keys.header, keys.groupName(group.name)],
                    arguments: [RedisArgument(scope.generation.id), RedisArgument(group.id)]))
            return .saved
        }
    }

    private func reservation(of group: TransferGroup, keys: SegmentKeys, in scope: AppScope) -> ScriptCall {
        ScriptCall(
            RegistryScripts.reserveGroup, keys: [keys.header, keys.groups, keys.groupName(group.name)],
            arguments: [
                RedisArgument(scope.generation.id), RedisArgument(group.id), RedisArgument(group.name),
                group.isArchived ? "1" : "0", RedisArgument(TransferGroupBounds.countMaximum),
                RedisArgument(RedisRegistry.reservationLife.wholeMilliseconds),
            ])
    }

    private static var corruptGroup: StoreError {
        StoreError(.corrupt, message: "invalid data in Redis: cannot decode a group")
    }

    private static func group(_ id: Int64, from value: RedisValue) throws(StoreError) -> TransferGroup {
        guard let group = TransferGroup(id: id, packed: value.bytes ?? []) else { throw corruptGroup }
        return group
    }
}
