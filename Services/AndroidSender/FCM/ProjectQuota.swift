import ProviderKit
import RedisStore
import ServiceKit
import Store
import Synchronization

/// What Google lets one project send a minute, kept to by all senders together.
final class ProjectQuota: Sendable {
    enum Answer: Sendable, Equatable {
        case granted(after: Duration)
        case refused(Duration)
    }

    /// Who waits for permits holds no claim; beyond this the devices are put aside.
    static let waitMaximum = Duration.seconds(5)
    /// When nobody can say how much of the quota is left.
    private static let unknownPause = Duration.seconds(1)
    private static let spareMaximum = 1_000
    private let bucket: RateBucket
    /// Taken and not used after all: for the next who asks here.
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

    /// What is too much to keep is lost: the quota is then not used up, which harms nobody.
    func giveBack(_ count: Int) {
        spare.withLock { $0 = min($0 + count, ProjectQuota.spareMaximum) }
    }
}
