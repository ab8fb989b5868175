import Bus
import CRDKafka
import ServiceKit

/// Owner of one librdkafka handle and of its callbacks.
///
/// Destroying a handle joins the library's threads and may take long, so dropping the last reference leaves that to a
/// separate thread; `destroyed` happens when it is done.
///
/// `@unchecked Sendable`: the library allows calls on one handle from any thread.
final class RDKafkaClient: @unchecked Sendable {
    let handle: OpaquePointer
    let callbacks: RDKafkaCallbacks
    let destroyed = OneTimeEvent()

    enum Role {
        case producer
        case consumer

        fileprivate var type: rd_kafka_type_t { self == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER }
    }

    init(_ role: Role, settings: [KafkaSetting], callbacks: RDKafkaCallbacks) throws(BusError) {
        handle = try RDKafkaConfiguration(settings).makeClient(role.type, callbacks: callbacks)
        self.callbacks = callbacks
    }

    deinit {
        let address = UInt(bitPattern: handle)
        NativeThread(name: "kafka-destroy") { [callbacks, destroyed] in
            // The owner has closed the consumer already; closing it again here could wait forever.
            rd_kafka_destroy_flags(OpaquePointer(bitPattern: address), RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
            // The library logs until it is destroyed.
            withExtendedLifetime(callbacks) {}
            destroyed.happen()
        }.detach()
    }

    /// Serves queued errors, for a client without a polling thread.
    func serveErrors() {
        rd_kafka_poll(handle, 0)
    }

    /// The fatal error of this client, or nil.
    var fatalProblem: String? {
        var reason = [CChar](repeating: 0, count: 512)
        let code = rd_kafka_fatal_error(handle, &reason, reason.count)
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : String(cBuffer: reason)
    }
}
