import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Store

/// Limits for sending to servers that devices name.
struct OriginConfiguration: Sendable {
    /// The addresses that these servers may have.
    var addresses = AddressPolicy()
    /// A PEM file of authorities to trust instead of the system's.
    var authorityFile: String?
    /// Of one app.
    var inFlightMaximum = 1_000
    /// For one request.
    var deadline: Duration
    var origins = OriginSettings()

    init(deadline: Duration) {
        self.deadline = deadline
    }

    /// `<prefix>_CA_FILE`, `_IN_FLIGHT` and `_REQUEST_LIMIT`; `provider` completes sentences.
    init(
        environment: inout EnvironmentReader, prefix: String, provider: String, deadline: Duration,
        addresses: AddressPolicy
    ) {
        self.init(deadline: deadline)
        self.addresses = addresses
        authorityFile = environment.authorityFile("\(prefix)_CA_FILE", of: provider)
        inFlightMaximum = environment.integer(
            "\(prefix)_IN_FLIGHT", default: inFlightMaximum, in: 1...10_000,
            meaning: "Maximum pushes of one app in flight to \(provider).")
        self.deadline = environment.duration(
            "\(prefix)_REQUEST_LIMIT", default: deadline, in: .milliseconds(100) ... .seconds(30),
            meaning: "Deadline for the answer to one push; without an answer its outcome is unknown.")
    }

    /// How long a gateway may take for claimed pushes, without a second attempt: whether those that wait have waited
    /// for too long is checked once in each patience.
    var sendLimit: Duration { origins.patience * 2 + deadline }

    /// Connecting takes a part of the deadline, so that a server that is down is noticed early.
    func client(named name: String) -> HTTPClientConfiguration {
        var client = HTTPClientConfiguration(name: name)
        client.authorityFile = authorityFile
        client.deadline = deadline
        client.connectDeadline = min(deadline, .seconds(3))
        client.concurrentMaximum = inFlightMaximum
        client.hostMaximum = origins.inFlightMaximum
        client.idleConnectionsMaximum = 512
        client.responseBytesMaximum = OriginRequests.responseBytesMaximum
        return client
    }

    /// The gate of one app; it logs, counts and notes which servers are left alone.
    func gate(
        of app: AppID, kind: PushProtocol, meters: OriginMeters, failingServers: any FailingServers,
        time: any TimeSource, random: any RandomSource, log: Log
    ) -> OriginGate {
        OriginGate(
            inFlightMaximum: inFlightMaximum, settings: origins, time: time, random: random,
            failures: OriginFailures(meters, notes: FailingServerNotes(of: app, store: failingServers, time: time))
        ) { origin, change in
            let facts: KeyValuePairs<LogKey, String> = [
                .app: app.text, .provider: kind.name, .address: origin.description,
            ]
            switch change {
            case .failing: log.info("server of devices does not answer; its pushes wait", facts)
            case .recovered: log.info("server of devices answers again", facts)
            }
        }
    }
}

extension EnvironmentReader {
    /// The domains below which a provider's servers must be.
    mutating func domains(_ name: String, default domains: [String], of provider: String) -> [String] {
        parse(
            name, default: domains, text: domains.joined(separator: ","),
            meaning: "Domains of \(provider), separated by commas: nothing is sent to hosts outside of them.",
            expected: "host names separated by commas"
        ) { text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
            return names.allSatisfy { PushOrigin(address: "https://\($0)")?.host == $0 } ? names : nil
        }
    }
}
