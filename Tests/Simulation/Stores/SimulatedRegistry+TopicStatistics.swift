import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: TopicStatistics {
    func figures(of topic: TopicName, in app: AppID) async throws(StoreError) -> TopicFigures? {
        try await seam.call("registry.figures") { try await base.figures(of: topic, in: app) }
    }

    func count(_ publications: [TopicPublication], from partition: Int32, in app: AppID) async throws(StoreError) {
        try await seam.call("registry.count") { try await base.count(publications, from: partition, in: app) }
    }
}
