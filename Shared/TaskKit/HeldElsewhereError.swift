import ServiceKit

/// Living senders hold devices of the chunk; it must not be acknowledged before they are through.
package struct HeldElsewhereError: RetriableError, CustomStringConvertible {
    package let count: Int
    package let isRetriable = true
    package var description: String { "\(count) devices are held by another sender" }

    package init(count: Int) {
        self.count = count
    }
}
