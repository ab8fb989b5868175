/// How the simulated providers behave, as a fault of the simulator's admin API.
enum SimulatorMood: String, CaseIterable {
    case healthy
    case slow
    case stalled
    case failing
    case refusing

    /// The members of the fault's document, beside its provider; nil without a fault.
    var fault: String? {
        switch self {
        case .healthy: nil
        case .slow: #""kind":"delay","median":"300ms","p99":"2s""#
        case .stalled: #""kind":"stall""#
        case .failing: #""kind":"answer","status":503"#
        case .refusing: #""kind":"answer","status":429,"retry_after":5"#
        }
    }
}
