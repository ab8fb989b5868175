import PushModel
import Store
import Synchronization

/// One lifetime of a registry, from its empty start until it is lost or replaced. All cached facts about keys belong to
/// a generation and are discarded with it.
///
/// Its id is 16 hexadecimal digits, twelve of time and four random, so that the newer of two ids is known.
final class RegistryGeneration: Sendable {
    let id: String
    let isReady: Bool
    let aliasBuckets: Int
    let topics = TopicCache()
    let entries = EntryCache()
    let places = PlacePool()
    let segments = SegmentCounts()
    let censuses = DeviceCensuses()
    /// Apps known to be entered.
    private let apps = Mutex<Set<AppID>>([])

    private static let appsMaximum = 10_000

    init(id: String, isReady: Bool, aliasBuckets: Int) {
        self.id = id
        self.isReady = isReady
        self.aliasBuckets = aliasBuckets
    }

    func knows(_ app: AppID) -> Bool {
        apps.withLock { $0.contains(app) }
    }

    func note(_ app: AppID) {
        apps.withLock { apps in
            if apps.count >= RegistryGeneration.appsMaximum { apps.removeAll() }
            apps.insert(app)
        }
    }
}

/// An app within a generation: required by every operation below the registry's root.
struct AppScope: Sendable {
    let generation: RegistryGeneration
    let app: AppID

    func segment(_ number: SegmentNumber) -> SegmentID { SegmentID(app, number: number) }
}
