import PushModel
import ServiceKit
import Store
import Testing

extension RegistryFixture {
    /// The devices that the resolver would find, segment by segment.
    func members(
        of audience: Audience, _ registry: any TestedRegistry, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (members: Set<DeviceID>, silent: Set<DeviceID>) {
        var (members, silent) = (Set<DeviceID>(), Set<DeviceID>())
        let segments = try await registry.segments(of: audience, in: app)
        #expect(segments == Set(segments).sorted(), sourceLocation: sourceLocation)
        for number in segments {
            let segment = SegmentID(app, number: number)
            let chosen = try await registry.select(audience, in: segment)
            let devices = try await registry.devices(at: chosen.members, in: segment)
            #expect(devices.offsets == chosen.members.offsets, sourceLocation: sourceLocation)
            #expect(chosen.silent.subtracting(chosen.members).isEmpty, sourceLocation: sourceLocation)
            for (position, offset) in devices.offsets.enumerated() {
                let device = try #require(devices.device(at: position), sourceLocation: sourceLocation)
                let id = DeviceID(index: DeviceIndex(segment: number, offset: offset), tag: device.tag)
                members.insert(id)
                if chosen.silent.contains(offset) { silent.insert(id) }
            }
        }
        return (members, silent)
    }
}

extension RegistryProjection {
    /// Applies changes like the projector, a few hundred at a time, starting at an offset.
    func project(_ changes: [RegistryChange], from first: Int64 = 0) async throws {
        let logged = changes.enumerated().map { LoggedChange(offset: first + Int64($0.offset), $0.element) }
        for part in logged.chunks(of: 500) { try await apply(Array(part)) }
    }
}
