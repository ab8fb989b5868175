import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: RegistryReader {
    func segments(of audience: Audience, in app: AppID) async throws(StoreError) -> [SegmentNumber] {
        try await seam.call("registry.segments") { try await base.segments(of: audience, in: app) }
    }

    func members(of topics: [TopicName], in segments: [SegmentNumber], of app: AppID) async throws(StoreError)
        -> [SegmentMembers]
    {
        try await seam.call("registry.members") { try await base.members(of: topics, in: segments, of: app) }
    }

    func devices(at offsets: SegmentSet, in segment: SegmentID) async throws(StoreError) -> PackedDevices {
        try await seam.call("registry.devices") { try await base.devices(at: offsets, in: segment) }
    }
}
