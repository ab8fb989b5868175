import ServiceKit

/// Limits for the servers that one app's pushes go to.
struct OriginSettings: Sendable, Equatable {
    /// Servers remembered; those without a push in flight are forgotten first.
    var originsMaximum = 4_096
    /// Pushes in flight to one server.
    var inFlightMaximum = 256
    /// Pushes in flight to a server that has not answered yet.
    var inFlightFirst = 1
    /// Servers that take all pushes that an app may have in flight.
    var large = PushServiceList.none
    /// Pushes in a row that a server does not answer: after these it is left alone.
    var failuresMaximum = 3
    /// Errors in a row that a server answers with: after these it is left alone.
    var errorsMaximum = 20
    /// How long it is left alone; then one push probes it.
    var pauses = Backoff(first: .seconds(5), longest: .seconds(300))
    /// Servers probed at the same time: each probe holds up the pushes that it is sent with.
    var probesMaximum = 8
    /// How long a push waits for others to the same server.
    var patience = Duration.seconds(1)
    /// How often, of pushes to several servers that were sent together, those that are answered are handed over without
    /// waiting for the other servers.
    var partDuration = Duration.milliseconds(100)

    init() {}

    /// For a server that many devices share, one push at a time would be a slow beginning.
    func forLargeServer(inFlightMaximum: Int) -> OriginSettings {
        var settings = self
        settings.inFlightMaximum = max(settings.inFlightMaximum, inFlightMaximum)
        settings.inFlightFirst = min(settings.inFlightMaximum, 64)
        return settings
    }
}
