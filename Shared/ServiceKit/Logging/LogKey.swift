/// The keys of facts in log lines; one list, so that dashboards can rely on them.
package enum LogKey: String, Sendable {
    case address
    case app
    case attempt
    case bytes
    case channel
    case count
    case duration
    case environment
    case error
    case group
    case job
    case librdkafka
    case offset
    case partition
    case port
    case provider
    case reason
    case segment
    case server
    case signal
    case status
    case task
    case topic
    case version
}
