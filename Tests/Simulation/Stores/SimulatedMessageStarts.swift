import PushModel
import ServiceKit
import Store

struct SimulatedMessageStarts: MessageStarts {
    let base: any MessageStarts
    let seam: Seam

    func open(_ partition: ConsumedPartition, owner: String) async throws(StoreError) -> Bool {
        try await seam.call("starts.open") { try await base.open(partition, owner: owner) }
    }

    func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool
    ) async throws(StoreError) -> [Int] {
        try await seam.call("starts.begin") {
            try await base.begin(offsets, of: partition, owner: owner, regardless: regardless)
        }
    }

    func end(_ offsets: [Int64], of partition: ConsumedPartition) async throws(StoreError) {
        try await seam.call("starts.end") { try await base.end(offsets, of: partition) }
    }

    func giveBack(_ offsets: [Int64], of partition: ConsumedPartition, owner: String) async throws(StoreError) {
        try await seam.call("starts.giveBack") { try await base.giveBack(offsets, of: partition, owner: owner) }
    }

    func close(_ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]) async throws(StoreError) {
        try await seam.call("starts.close") { try await base.close(partition, owner: owner, givingBack: offsets) }
    }
}
