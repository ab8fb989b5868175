package import Signing

/// The secret under which a publisher's backend signs the users of its app. It cannot print itself.
package struct UserTokenKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    static let fileBytesMaximum = 4 * 1_024
    /// The length of the codes: a shorter secret could be guessed more easily than a code.
    static let bytesMinimum = 32

    private let content: [UInt8]
    private let key: HMACKey

    /// Nil if there are too few bytes. Trailing line breaks are ignored.
    package init?(fileContent: [UInt8]) {
        var content = fileContent
        while let last = content.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { content.removeLast() }
        guard content.count >= UserTokenKey.bytesMinimum else { return nil }
        self.content = content
        key = HMACKey(content)
    }

    package func hasSigned(_ token: JSONWebToken) -> Bool {
        token.isSigned(by: key)
    }

    package static func == (left: UserTokenKey, right: UserTokenKey) -> Bool {
        ConstantTime.areEqual(left.content, right.content)
    }

    package var description: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
