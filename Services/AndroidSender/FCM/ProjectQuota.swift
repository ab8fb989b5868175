import ProviderKit
import RedisStore
import ServiceKit
import Store
import Synchronization

/// Google's quota of pushes per minute for one project, shared by all senders.
final class ProjectQuota: Sendable {
    enum Answer: Sendable, Equatable {
        case granted(after: Duration)
        case refused(Duration)
    }

    /// A sender that waits for permits holds no claim; beyond this wait the devices are parked.
    static let waitMaximum = Duration.seconds(5)
    /// The pause if the remaining quota cannot be determined.
    private static let unknownPause = Duration.seconds(1)
    private static let spareMaximum = 1_000
    private let bucket: RateBucket
    /// Permits taken and not used: kept for the next caller here.
    private let spare = Mutex(0)

    init(_ bucket: RateBucket) {
        self.bucket = bucket
    }

    func take(_ count: Int) async -> Answer {
        let kept = spare.withLock { spare in
            let kept = min(spare, count)
            spare -= kept
            return kept
        }
        guard kept < count else { return .granted(after: .zero) }
        do throws(StoreError) {
            switch try await bucket.take(count - kept, waitingAtMost: ProjectQuota.waitMaximum) {
            case .granted(let wait): return .granted(after: wait)
            case .refused(let wait):
                giveBack(kept)
                return .refused(wait)
            }
        } catch {
            giveBack(kept)
            return .refused(ProjectQuota.unknownPause)
        }
    }

    /// Surplus permits are lost: the quota is then not fully used, which is harmless.
    func giveBack(_ count: Int) {
        spare.withLock { $0 = min($0 + count, ProjectQuota.spareMaximum) }
    }
}
