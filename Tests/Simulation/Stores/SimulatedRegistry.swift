import PushModel
import ServiceKit
import Store

/// The registry as one process sees it.
struct SimulatedRegistry: Sendable {
    typealias Base = Registry & RegistryReader & RegistryMaintenance & TopicStatistics & Activities & ActivityClocks
        & ActivityFactReader & ActivityChannels & SavedAudiences & Transfers & TransferGroups

    let base: any Base
    let seam: RegistrySeam

    init(base: any Base, seam: Seam) {
        self.base = base
        self.seam = RegistrySeam(seam: seam)
    }
}
