package import PushModel

/// Makes and checks the proofs of one task. Created once for many devices: each proof then takes two blocks of a hash.
package struct ReceiptProver: Sendable {
    private let key: HMACKey

    package init(_ key: TaskReceiptKey) {
        self.key = HMACKey(key.bytes)
    }

    package func proof(of device: DeviceID, day: UInt16) -> ReceiptProof {
        let code = key.code(for: ReceiptProof.bytes(of: day) + device.bytes)
        return ReceiptProof(day: day, code: code.prefix(ReceiptProof.codeBytes).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Numbers of one word are compared in constant time.
    package func isProof(_ proof: ReceiptProof, of device: DeviceID) -> Bool {
        self.proof(of: device, day: proof.day).code == proof.code
    }
}
