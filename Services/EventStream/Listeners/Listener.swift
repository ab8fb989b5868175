import HTTPServer
import PushModel

/// One open stream. It ends when its client leaves, reads too slowly, loses its right, or when the service stops.
final class Listener: Sendable {
    let number: Int
    let right: ListeningRight
    /// The topics that the client asked for, each once, in its order.
    let names: [TopicName]
    let stream: HTTPStream

    var app: AppID { right.app }

    init(number: Int, right: ListeningRight, names: [TopicName], stream: HTTPStream) {
        self.number = number
        self.right = right
        self.names = names
        self.stream = stream
    }
}
