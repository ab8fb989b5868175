import ServiceKit

/// Live senders hold devices of the chunk; it must not be acknowledged before they are done.
package struct HeldElsewhereError: RetriableError, CustomStringConvertible {
    package let count: Int
    package let isRetriable = true
    package var description: String { "\(count) devices are claimed by another sender" }

    package init(count: Int) {
        self.count = count
    }
}
