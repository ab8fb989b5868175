package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The address is invalid or does not belong to this machine.
        package static let addressInvalid = Code(description: "address_invalid")
        /// The waiting task was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// The certificate or its key cannot be used.
        package static let identityInvalid = Code(description: "identity_invalid")
        /// Another process uses the port, or this user lacks the permission.
        package static let listeningFailed = Code(description: "listening_failed")
        /// The client of a stream has left, or the server has stopped.
        package static let readerLeft = Code(description: "reader_left")
        /// A server runs once.
        package static let startedTwice = Code(description: "started_twice")

        package let description: String
    }

    package let code: Code
    package let message: String
    package let file: String
    package let line: Int

    package init(_ code: Code, message: String, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
    }

    /// A port may become free. A client that left does not resume its stream, and an invalid address stays invalid.
    package var isRetriable: Bool {
        code == .listeningFailed
    }

    package var description: String {
        "\(code): \(message) (\(file):\(line))"
    }
}
