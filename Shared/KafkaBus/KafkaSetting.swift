package import ServiceKit

/// One librdkafka property. Every value is treated as a secret, since some are; it cannot be printed by accident.
package struct KafkaSetting: Sendable, Equatable {
    package let name: String
    package let value: Secret

    package init(_ name: String, _ value: String) {
        self.init(name, Secret(value))
    }

    package init(_ name: String, _ value: Secret) {
        self.name = name
        self.value = value
    }
}
