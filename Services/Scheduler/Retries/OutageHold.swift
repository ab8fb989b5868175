import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Holds back retries for a provider in an outage: they stay in the index and are due again when the pause is over.
/// After the pause one device at a time is released, to become the probe of a sender.
struct OutageHold: Sendable {
    /// How long the others wait for the outcome of the probe.
    static let probeWait = Duration.seconds(5)
    /// If there is no device to probe with for this long, a waiting job is released, to resolve some.
    static let jobPatience = Duration.seconds(20)
    /// Spreads the entries of one outage, so that not all are due at the same moment.
    static let jitter = Duration.seconds(1)

    struct Sorted: Sendable {
        var orders: [RetryOrder] = []
        var jobs: [SegmentJob] = []
        /// Entries that become due again later.
        var held: [RetryEntry] = []
    }

    let view: OutageView
    let random: any RandomSource

    func sort(_ orders: [RetryOrder], jobs: [ParkedJob], at now: Timestamp) async -> Sorted {
        let outages = await view.outages()
        guard !outages.isEmpty else { return Sorted(orders: orders, jobs: jobs.map(\.job)) }
        var sorted = Sorted()
        for (route, orders) in Dictionary(grouping: orders, by: \.route) {
            if let left = outages[route] {
                await hold(orders, of: route, left: left, at: now, sorted: &sorted)
            } else {
                sorted.orders += orders
            }
        }
        for job in jobs { await hold(job, outages: outages, at: now, sorted: &sorted) }
        return sorted
    }

    private func hold(
        _ orders: [RetryOrder], of route: ProviderRoute, left: Duration, at now: Timestamp, sorted: inout Sorted
    ) async {
        var orders = orders
        if left <= .zero, await view.nominate(route, for: OutageHold.probeWait) {
            sorted.orders.append(orders[0].with(devices: Array(orders[0].devices.prefix(1)), due: orders[0].due))
            orders[0] = orders[0].with(devices: Array(orders[0].devices.dropFirst()), due: orders[0].due)
        }
        let due = now + wait(left)
        // Merged into fewer entries: small orders of a segment become one.
        let together = RetryGroup.groups(of: orders).flatMap { $0.orders(due: due) }
        sorted.held += together.flatMap { $0.parts(of: RetryIntake.devicesMaximum) }.map(RetryEntry.init)
    }

    private func hold(
        _ job: ParkedJob, outages: [ProviderRoute: Duration], at now: Timestamp, sorted: inout Sorted
    ) async {
        let routes = job.providers.map { ProviderRoute(app: job.job.app, provider: $0) }
        let pauses = routes.compactMap { outages[$0] }
        guard pauses.count == routes.count, let left = pauses.min() else {
            sorted.jobs.append(job.job)
            return
        }
        for route in routes where (outages[route] ?? .zero) <= .zero - OutageHold.jobPatience {
            if await view.nominate(route, for: OutageHold.probeWait) {
                sorted.jobs.append(job.job)
                return
            }
        }
        sorted.held.append(RetryEntry(job, due: now + wait(left)))
    }

    private func wait(_ left: Duration) -> Duration {
        (left > .zero ? left : OutageHold.probeWait) + random.duration(in: .zero...OutageHold.jitter)
    }
}

extension RetryOrder {
    fileprivate var route: ProviderRoute { ProviderRoute(app: segment.app, provider: provider) }
}
