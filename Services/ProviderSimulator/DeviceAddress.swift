import ServiceKit

/// The paths of a provider's devices, for the providers whose tokens are addresses: a fixed start, then the device's
/// name. The name is chosen by the client and stands for the device in the statistics.
struct DeviceAddress: Sendable {
    private static let nameBytes = 1...256

    let start: String

    init(_ start: String) {
        self.start = start
    }

    /// Nil for a path of anything else.
    func name(in path: String) -> String? {
        guard path.hasPrefix(start) else { return nil }
        let name = path.utf8.dropFirst(start.utf8.count)
        return DeviceAddress.isName(name) ? String(Substring(name)) : nil
    }

    /// Letters, digits, `-`, `_` and `.`, so that a name needs no escapes in a URL.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        nameBytes.contains(text.count) && text.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
    }
}
