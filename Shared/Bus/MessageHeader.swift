package import ServiceKit

package struct MessageHeader: Sendable, Equatable {
    package let name: String
    package let value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) {
        self.init(name, Array(value.utf8))
    }

    package var text: String { OutsideText.replacing(value) }
}

extension [MessageHeader] {
    package static let traceName = "traceparent"

    package var bytes: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.count } }

    package subscript(name: String) -> String? {
        first { $0.name == name }?.text
    }

    package var trace: TraceContext? {
        self[Self.traceName].flatMap { TraceContext(header: $0) }
    }
}
