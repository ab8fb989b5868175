import PushModel
import Store
import Synchronization

/// One life of a registry, from its beginning, empty, until it is lost or replaced. Everything that is remembered about
/// keys belongs to it and goes with it.
///
/// Its id is 16 hexadecimal digits, twelve of time and four of chance, so that of two the newer one is known.
final class RegistryGeneration: Sendable {
    let id: String
    let isReady: Bool
    let aliasBuckets: Int
    let topics = TopicCache()
    let entries = EntryCache()
    let places = PlacePool()
    let segments = SegmentCounts()
    /// Apps that are known to be entered.
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

/// An app within a generation: what every operation below the registry's root needs.
struct AppScope: Sendable {
    let generation: RegistryGeneration
    let app: AppID

    func segment(_ number: SegmentNumber) -> SegmentID { SegmentID(app, number: number) }
}
