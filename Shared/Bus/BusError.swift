import ServiceKit

package struct BusError: Error, Sendable, CustomStringConvertible, RetriableError {
    package enum Code: String, Sendable {
        /// The broker cannot be reached or did not answer in time.
        case unavailable
        /// The topic is at its bound, and the producer's patience is over.
        case full
        /// The message is larger than any bus carries.
        case tooLarge
        /// The broker refused the request: access rights, unknown topic, wrong settings.
        case refused
        /// The producer or consumer was closed.
        case closed
        /// A log is not the one that a reader has read so far: the broker lost it, or removed messages unread.
        case replaced
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// An operator can fix a refusal while the service waits (create a topic, grant a right), so a refused request is
    /// retried. A message that is too large stays too large, and a closed bus stays closed.
    package var isRetriable: Bool {
        switch code {
        case .unavailable, .full, .refused: true
        case .tooLarge, .closed, .replaced: false
        }
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
