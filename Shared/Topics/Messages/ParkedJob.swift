package import PushModel

/// A segment job that waits in the retry index while every provider that its task's devices have used is in an outage:
/// the devices it would resolve could not be sent to.
package struct ParkedJob: Hashable, Sendable {
    /// Not a format of retry orders, which share the index.
    private static let format: UInt8 = 0xA1
    private static let providersMaximum = 16

    package let job: SegmentJob
    package let providers: Set<PushProtocol>

    package init(_ job: SegmentJob, waitingFor providers: Set<PushProtocol>) {
        self.job = job
        self.providers = providers
    }

    package static func isOne(_ bytes: [UInt8]) -> Bool { bytes.first == format }

    package func encoded() -> [UInt8] {
        let providers = providers.map(\.rawValue).sorted()
        return [ParkedJob.format, UInt8(providers.count)] + providers + job.encoded()
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "parked job") { reader in
            guard reader.byte() == ParkedJob.format, let count = reader.byte(),
                count <= ParkedJob.providersMaximum
            else { return nil }
            var providers: Set<PushProtocol> = []
            for _ in 0..<count {
                guard let provider = reader.byte().flatMap(PushProtocol.init(rawValue:)) else { return nil }
                providers.insert(provider)
            }
            guard let job = try? SegmentJob(decoding: Array(reader.rest())) else { return nil }
            return ParkedJob(job, waitingFor: providers)
        }
    }
}
