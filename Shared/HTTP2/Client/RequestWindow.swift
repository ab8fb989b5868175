/// Counts accepted requests without an outcome, which bounds a pool's memory.
struct RequestWindow {
    enum Admission: Equatable {
        case accepted
        case full
        case closed
    }

    private let requestsMaximum: Int
    private let waitersMaximum: Int
    private(set) var accepted = 0
    private(set) var isClosing = false

    init(requestsMaximum: Int, waitersMaximum: Int) {
        self.requestsMaximum = requestsMaximum
        self.waitersMaximum = waitersMaximum
    }

    /// All or none. Tasks that wait for the outcome may exceed the window, up to their own limit.
    mutating func admit(_ count: Int, areAwaited: Bool) -> Admission {
        guard !isClosing else { return .closed }
        guard count <= room + (areAwaited ? waitersMaximum : 0) else { return .full }
        accepted += count
        return .accepted
    }

    mutating func settle(_ count: Int) {
        accepted -= count
        precondition(accepted >= 0, "more outcomes than requests")
    }

    mutating func close() {
        isClosing = true
    }

    /// Negative while tasks wait beyond the window.
    var room: Int { requestsMaximum - accepted }
}
