import Bus
import CRDKafka
import ServiceKit

/// librdkafka settings for a new client. Owns the C object until a client takes it over.
struct RDKafkaConfiguration: ~Copyable {
    private let pointer: OpaquePointer

    init() {
        guard let made = rd_kafka_conf_new() else { preconditionFailure("no memory for librdkafka settings") }
        pointer = made
    }

    deinit {
        rd_kafka_conf_destroy(pointer)
    }

    init(_ settings: [KafkaSetting]) throws(BusError) {
        self.init()
        for setting in settings { try set(setting) }
    }

    /// The library's error text names the property and the values it expects.
    func set(_ setting: KafkaSetting) throws(BusError) {
        var reason = [CChar](repeating: 0, count: 512)
        let status = rd_kafka_conf_set(pointer, setting.name, setting.value.reveal(), &reason, reason.count)
        guard status == RD_KAFKA_CONF_OK else {
            throw BusError(.refused, message: "librdkafka setting \(setting.name): \(String(cBuffer: reason))")
        }
    }

    /// The value as parsed by the library.
    func value(of name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        var count = buffer.count
        guard rd_kafka_conf_get(pointer, name, &buffer, &count) == RD_KAFKA_CONF_OK else { return nil }
        return String(cBuffer: buffer)
    }

    /// Passes the C object to a new client; the callbacks must outlive it.
    consuming func makeClient(_ role: rd_kafka_type_t, callbacks: RDKafkaCallbacks) throws(BusError) -> OpaquePointer {
        callbacks.install(in: pointer, for: role)
        var reason = [CChar](repeating: 0, count: 512)
        guard let client = rd_kafka_new(role, pointer, &reason, reason.count) else {
            _ = consume self
            throw BusError(.refused, message: "librdkafka refused its settings: \(String(cBuffer: reason))")
        }
        discard self
        return client
    }
}

extension String {
    /// A text that the library wrote into our buffer, up to its terminating zero.
    init(cBuffer buffer: [CChar]) {
        self = String(decoding: buffer.prefix { $0 != 0 }.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
