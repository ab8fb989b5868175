/// How often what is outside of a process fails, in percent of all calls. All zero unless a history changes it.
struct Faults: Sendable, Equatable {
    var storeRefusals = 0
    var lostStoreAnswers = 0
    var busRefusals = 0
    var lostBusAnswers = 0
    var slowCalls = 0
}
