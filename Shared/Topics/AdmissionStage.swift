/// How full the store may be for each stage's producers. Each stage may fill it a little more than the one before: with
/// one limit for all, a full store would stop the stages that drain it.
package enum AdmissionStage: Int, CaseIterable, Sendable {
    /// New devices and subscriptions, which are permanent: tasks are still accepted when there is no room for these.
    case registering
    case accepting
    case resolving
    case rendering

    private static let step = 8
    private static let highestPercent = 95

    /// The percentage of `maxmemory` at which this stage waits, given that of new tasks.
    package func percent(accepting: Int) -> Int {
        let stagesAfter = AdmissionStage.rendering.rawValue - AdmissionStage.accepting.rawValue
        let step = min(AdmissionStage.step, max(0, AdmissionStage.highestPercent - accepting) / stagesAfter)
        return max(1, accepting + (rawValue - AdmissionStage.accepting.rawValue) * step)
    }
}
