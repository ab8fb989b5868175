import ServiceKit

/// The tokens with which Live Activities are started on a device: one for each type of activity.
package struct StartTokens: Hashable, Sendable {
    package static let countMaximum = 8

    /// In lower case.
    package private(set) var tokens: [ActivityType: PushToken] = [:]

    package init() {}

    package var isEmpty: Bool { tokens.isEmpty }

    /// The token for activities of the type. Beyond the maximum another type gives way: an app that has so many renamed
    /// its types, and the tokens of the old names are of no use.
    package subscript(type: ActivityType) -> PushToken? {
        get { tokens[type] ?? tokens[.any] }
        set {
            if newValue != nil, tokens[type] == nil, tokens.count >= StartTokens.countMaximum,
                let other = tokens.keys.min()
            {
                tokens[other] = nil
            }
            tokens[type] = newValue
        }
    }

    /// Each type and its token, counted.
    var packed: [UInt8] {
        var bytes: [UInt8] = []
        for (type, token) in tokens.sorted(by: { $0.key < $1.key }) {
            bytes.append(counted: type.text.utf8)
            bytes.append(counted: token.packed)
        }
        return bytes
    }

    /// Nil if the bytes are not such tokens.
    init?(packed bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard let type = reader.counted().flatMap(StartTokens.type),
                let token = reader.counted().flatMap({ PushToken(.liveActivity, packed: $0) })
            else { return nil }
            tokens[type] = token
        }
    }

    /// The token for activities of the type, without decoding the others.
    static func token(for wanted: ActivityType, packed bytes: ArraySlice<UInt8>) -> PushToken? {
        var reader = ByteReader(bytes)
        var general: ArraySlice<UInt8>?
        while let type = reader.counted(), let token = reader.counted() {
            if type.elementsEqual(wanted.text.utf8) { return PushToken(.liveActivity, packed: token) }
            if type.isEmpty { general = token }
        }
        return general.flatMap { PushToken(.liveActivity, packed: $0) }
    }

    private static func type(_ bytes: ArraySlice<UInt8>) -> ActivityType? {
        bytes.isEmpty ? .any : OutsideText.string(bytes).flatMap { try? ActivityType($0) }
    }
}
