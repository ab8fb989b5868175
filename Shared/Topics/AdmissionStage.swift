/// How full the store may be for those who bring more. Each stage may fill a little more than the one before it, so that
/// what is in the pipeline can always leave it: with one line for all, a full store would stop the stages that empty it.
package enum AdmissionStage: Int, CaseIterable, Sendable {
    /// New devices and subscriptions, which stay: tasks are still taken when there is no room for these.
    case registering
    case accepting
    case resolving
    case rendering

    private static let step = 8
    private static let highestPercent = 95

    /// The share of `maxmemory` at which this stage waits, given that of new tasks.
    package func percent(accepting: Int) -> Int {
        let stagesAfter = AdmissionStage.rendering.rawValue - AdmissionStage.accepting.rawValue
        let step = min(AdmissionStage.step, max(0, AdmissionStage.highestPercent - accepting) / stagesAfter)
        return max(1, accepting + (rawValue - AdmissionStage.accepting.rawValue) * step)
    }
}
