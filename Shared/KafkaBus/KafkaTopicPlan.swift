/// The desired state of a topic on the brokers.
package struct KafkaTopicPlan: Sendable, Equatable {
    package struct Setting: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package let name: String
    package let partitions: Int
    package let replicas: Int
    package let settings: [Setting]
}
