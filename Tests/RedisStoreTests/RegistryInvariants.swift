import PushModel
import RedisClient
import RedisStore
import Store
import Testing

/// Invariants of an app after any interruption, checked through the API and in the Redis keys.
struct RegistryInvariants {
    let fixture: RegistryFixture
    let app: AppID

    func check() async throws {
        let registry = try await fixture.registry()
        var tokens: Set<PushToken> = []
        for number in try await registry.segments(of: .everyone, in: app) {
            let segment = SegmentID(app, number: number)
            let devices = try await registry.devices(at: SegmentSet(0..<4_096), in: segment)
            let living = try await registry.select(.everyone, in: segment).members
            #expect(living.offsets == devices.offsets, "the bitmap and the records must list the same devices")
            for position in 0..<devices.count {
                let device = try #require(devices.device(at: position))
                let index = DeviceIndex(segment: number, offset: devices.offsets[position])
                #expect(tokens.insert(device.token).inserted, "a token must have one device")
                try await check(device, id: DeviceID(index: index, tag: device.tag), registry: registry)
            }
            try await checkMembers(of: segment, living: living, registry: registry)
        }
    }

    private func check(_ device: Device, id: DeviceID, registry: RedisRegistry) async throws {
        #expect(try await registry.device(of: device.token, in: app) == id, "a device must be found by its token")
        for (kind, value) in device.aliases {
            let found = try await registry.devices(of: Alias(kind, value: value), in: app)
            #expect(found.contains(id), "a device must be found by its aliases")
        }
        let segment = SegmentID(app, number: id.index.segment)
        for (topic, options) in try #require(try await registry.subscriptions(of: id, in: app)) {
            let selection = try await registry.select(.topic(topic), in: segment)
            #expect(selection.members.contains(id.index.offset), "a subscriber must be a member")
            #expect(selection.silent.contains(id.index.offset) == options.contains(.ignoreMessage))
            let segments = try await registry.segments(of: .topic(topic), in: app)
            #expect(segments.contains(id.index.segment), "a member's segment must be listed")
        }
    }

    /// Compares members in Redis with the subscriptions of their devices.
    private func checkMembers(of segment: SegmentID, living: SegmentSet, registry: RedisRegistry) async throws {
        for bucket in 0..<32 {
            let reply = try await fixture.command("HGETALL", "top:{\(segment)}:\(bucket)").array ?? []
            for (field, value) in zip(reply, reply.dropFirst()).enumerated().filter({ $0.offset % 2 == 0 }).map(
                \.element)
            {
                let name = try #require(field.string)
                // What a purge has ended; `subscriptions(of:in:)` may find it still.
                if name.hasSuffix("x") { continue }
                let number = try #require(UInt32(name.hasSuffix("i") ? String(name.dropLast()) : name))
                for offset in RegistryInvariants.offsets(try #require(value.bytes)) {
                    #expect(living.contains(offset), "a removed device must not be a member")
                    let subscribed = try await subscriptions(of: offset, in: segment)
                    #expect(subscribed.contains(number), "a member must be subscribed")
                }
            }
        }
    }

    private func subscriptions(of offset: UInt16, in segment: SegmentID) async throws -> [UInt32] {
        let reply = try await fixture.command("HGET", "sub:{\(segment)}:\(offset / 128)", "\(offset % 128)")
        var reader = ByteReader(reply.bytes ?? [])
        var numbers: [UInt32] = []
        while let entry = reader.integer(UInt32.self) { numbers.append(entry >> 4) }
        return numbers
    }

    static func offsets(_ value: [UInt8]) -> [UInt16] {
        if value.count == SegmentSet.bytesCount { return SegmentSet(bytes: value)?.offsets ?? [] }
        var reader = ByteReader(value)
        var offsets: [UInt16] = []
        while let offset = reader.integer(UInt16.self) { offsets.append(offset) }
        return offsets
    }
}
