import PushModel
import RedisClient
import ServiceKit
import Store

extension RedisRegistry {
    func register(
        _ token: PushToken, changes: DeviceChanges, in scope: AppScope
    ) async throws(StoreError) -> Registration {
        try await root.ensure(scope)
        for _ in 0..<RedisRegistry.roundsMaximum {
            let (holder, isOurs) = try await reserve(token, in: scope)
            if let registration = try await complete(holder, isOurs: isOurs, token: token, changes: changes, in: scope)
            {
                return registration
            }
        }
        throw StoreError(.unavailable, message: "too many concurrent registrations of the same token; retry")
    }

    func device(_ id: DeviceID, in scope: AppScope) async throws(StoreError) -> RegisteredDevice? {
        guard let stored = try await read(id.index, in: scope),
            let device = stored.living(tag: id.tag)
        else { return nil }
        return RegisteredDevice(id: id, device: device, badge: stored.badge)
    }

    func change(
        _ id: DeviceID, changes: DeviceChanges, in scope: AppScope
    ) async throws(StoreError) -> Bool {
        for _ in 0..<RedisRegistry.roundsMaximum {
            guard let stored = try await read(id.index, in: scope), let device = stored.living(tag: id.tag) else {
                return false
            }
            switch try await write(update(device, stored: stored, at: id.index, changes: changes), in: scope) {
            case .done: return true
            case .gone: return false
            case .changed, .tooMany: continue
            }
        }
        throw StoreError(.unavailable, message: "too many concurrent changes of the same device; retry")
    }

    func remove(_ id: DeviceID, in scope: AppScope) async throws(StoreError) -> Bool {
        guard try await exists(id.index.segment, in: scope) else { return false }
        let write = DeviceWrite(index: id.index, condition: .living(tag: id.tag), changes: [.device(nil)])
        guard case .done = try await self.write(write, in: scope) else { return false }
        return true
    }

    func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in scope: AppScope
    ) async throws(StoreError) -> FailureVerdict {
        guard try await exists(id.index.segment, in: scope) else { return .unknownDevice }
        let keys = SegmentKeys(scope.segment(id.index.segment))
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.countFailure,
                keys: [keys.header, keys.devices(SegmentKeys.bucket(of: id.index.offset)), keys.failures],
                arguments: [
                    RedisArgument(scope.generation.id), RedisArgument(SegmentKeys.field(of: id.index.offset)),
                    RedisArgument(Int(id.index.offset)), RedisArgument(id.tagBytes),
                    RedisArgument(Array(task.bytes.suffix(4))), RedisArgument(RegistryBounds.failuresRemembered * 4),
                ]))
        guard let count = reply.integer, count > 0 else { return .unknownDevice }
        guard count >= Int64(limit) else { return .counted(Int(count)) }
        return try await remove(id, in: scope) ? .removed : .unknownDevice
    }

    /// One `EXISTS` for each segment; nearly always no failures are counted there. A failure counted between `EXISTS`
    /// and `HDEL` is removed or kept, as if it had been counted slightly earlier or later.
    func forgetFailures(of ids: [DeviceID], in scope: AppScope) async throws(StoreError) {
        let segments = Dictionary(grouping: ids, by: \.index.segment).map { segment, ids in
            (key: SegmentKeys(scope.segment(segment)).failures, offsets: Set(ids.map(\.index.offset)))
        }
        let answers = try await redis.send(segments.map { RedisCommand("EXISTS", $0.key) })
        let counted = zip(segments, answers).filter { $1 == .integer(1) }.map(\.0)
        _ = try await redis.send(
            counted.map { key, offsets in
                RedisCommand(["HDEL", key] + offsets.map { RedisArgument(Int($0)) })
            })
    }
}

extension RedisRegistry {
    /// Returns the token's holder: a new index of this process unless the token is already reserved. An index whose
    /// reservation was interrupted is never used, because it may be the holder's.
    private func reserve(
        _ token: PushToken, in scope: AppScope
    ) async throws(StoreError) -> (holder: DeviceID, isOurs: Bool) {
        let candidate = try await candidate(in: scope)
        let holder = try await tokens.reserve(token, for: candidate, in: scope)
        if holder != candidate { allocator.giveBack(candidate.index, in: scope) }
        return (holder, holder == candidate)
    }

    private func candidate(in scope: AppScope) async throws(StoreError) -> DeviceID {
        let place = try await allocator.place(in: scope)
        return DeviceID(index: place, tag: UInt32(truncatingIfNeeded: random.next()))
    }

    /// Applies the registration to the token's holder; returns nil if the registration has to start over.
    private func complete(
        _ holder: DeviceID, isOurs: Bool, token: PushToken, changes: DeviceChanges, in scope: AppScope
    ) async throws(StoreError) -> Registration? {
        if isOurs { return try await create(holder, token: token, changes: changes, isNew: true, in: scope) }
        guard let stored = try await read(holder.index, in: scope) else {
            throw redis.notReady("the segment of a token's holder is lost; rebuild the registry or restore a backup")
        }
        switch stored.standing {
        case .living(let device) where device.tag == holder.tag && device.token == token:
            let write = update(device, stored: stored, at: holder.index, changes: changes)
            guard case .done = try await self.write(write, in: scope) else { return nil }
            let badge = changes.badge ?? stored.badge
            return try await registration(holder, write: write, badge: badge, isNew: false, in: scope)
        case .absent:
            // An interrupted or concurrent registration; the one whose record is written first is reported as new.
            return try await create(holder, token: token, changes: changes, isNew: true, in: scope)
        case .living, .removed:
            let candidate = try await candidate(in: scope)
            _ = try await tokens.exchange(token, from: holder, to: candidate, in: scope)
            return nil
        }
    }

    private func create(
        _ id: DeviceID, token: PushToken, changes: DeviceChanges, isNew: Bool, in scope: AppScope
    ) async throws(StoreError) -> Registration? {
        let device = Device(tag: id.tag, token: token, created: now).applying(changes, at: now)
        let write = DeviceWrite(
            index: id.index, condition: .absent, changes: [.device(device)] + changes.reportedBadge)
        guard case .done = try await self.write(write, in: scope) else { return nil }
        return try await registration(id, write: write, badge: changes.badge, isNew: isNew, in: scope)
    }

    /// The result of the registration. With a log it may include a later write of another process.
    private func registration(
        _ id: DeviceID, write: DeviceWrite, badge: UInt32?, isNew: Bool, in scope: AppScope
    ) async throws(StoreError) -> Registration? {
        if journal != nil {
            return try await device(id, in: scope).map { Registration($0, isNew: isNew) }
        }
        guard case .device(let device?) = write.changes.first else { return nil }
        return Registration(RegisteredDevice(id: id, device: device, badge: badge), isNew: isNew)
    }

    private func update(
        _ device: Device, stored: StoredDevice, at index: DeviceIndex, changes: DeviceChanges
    ) -> DeviceWrite {
        DeviceWrite(
            index: index, condition: .record(stored.record),
            changes: [.device(device.applying(changes, at: now))] + changes.reportedBadge, known: device)
    }
}

extension DeviceChanges {
    fileprivate var reportedBadge: [RegistryChange.Content] { badge.map { [.badge($0)] } ?? [] }
}

extension DeviceID {
    /// Encoded as in the record.
    fileprivate var tagBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: tag)
        return bytes
    }
}
