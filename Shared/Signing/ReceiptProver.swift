package import PushModel

/// Makes and checks the proofs of one task. Created once for many devices: each proof then takes two blocks of a hash.
package struct ReceiptProver: Sendable {
    private let key: HMACKey

    package init(_ key: TaskReceiptKey) {
        self.key = HMACKey(key.bytes)
    }

    package func proof(of device: DeviceID, on platform: Platform, day: UInt16) -> ReceiptProof {
        let code = key.code(for: ReceiptProof.bytes(of: day) + device.bytes + [platform.number])
        return ReceiptProof(day: day, code: code.prefix(ReceiptProof.codeBytes).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The platform takes no room in a proof: it is the one whose code fits. Nil if none does. Numbers of one word are
    /// compared in constant time.
    package func platform(provenBy proof: ReceiptProof, of device: DeviceID) -> Platform? {
        Platform.allCases.first { self.proof(of: device, on: $0, day: proof.day).code == proof.code }
    }
}
