package import Apps
package import PushModel
package import ServiceKit

/// The gateways of all apps: one for each app and provider, made on first use and again when the app's credentials
/// change. A gateway whose credentials the app no longer has is dropped on the next lookup, and without one within a
/// minute.
package actor AppGateways: GatewayDirectory, Service {
    package typealias Lookup = @Sendable (AppID) -> PushApp?

    private struct Place: Hashable {
        let app: AppID
        let kind: PushProtocol
    }

    private struct Entry {
        /// Of the type that the provider of this protocol has.
        let credentials: any Sendable
        /// The file's content; nil if it could not be read.
        let content: [UInt8]?
        let gateway: any PushGateway
        var readAt: Duration
    }

    /// How soon a replaced or fixed file is noticed.
    private static let readInterval = Duration.seconds(30)
    private static let sweepInterval = Duration.seconds(60)
    /// Service accounts are the largest of these files.
    private static let fileBytesMaximum = ServiceAccount.bytesMaximum

    package nonisolated let name = "gateways"
    private let providers: [any PushProvider]
    private let lookup: Lookup
    private let time: any TimeSource
    private let stopped = OneTimeEvent()
    private var entries: [Place: Entry] = [:]
    private var readings: [Place: Task<Entry, Never>] = [:]

    /// The providers belong to the directory, which closes them.
    package init(_ providers: [any PushProvider], time: any TimeSource, lookup: @escaping Lookup) {
        self.providers = providers
        self.lookup = lookup
        self.time = time
    }

    package func gateway(for app: AppID, _ kind: PushProtocol) async -> GatewayLookup {
        let file = lookup(app)
        guard let provider = providers.first(where: { $0.kind == kind.carrier }) else {
            return file == nil ? .unknownApp : .noProvider
        }
        // Tokens of activities share the gateway of their app.
        return await gateway(at: Place(app: app.owner, kind: kind.carrier), of: file, provider: provider)
    }

    package func run() async {
        while await !stopped.wait(atMost: AppGateways.sweepInterval, time: time) {
            // A removed app gets no more chunks, so no lookup would drop its gateways.
            for provider in providers { sweep(provider) }
        }
        entries = [:]
        for provider in providers { await provider.close() }
    }

    package nonisolated func stop() {
        stopped.happen()
    }

    private func gateway<Provider: PushProvider>(
        at place: Place, of app: PushApp?, provider: Provider
    ) async -> GatewayLookup {
        guard let credentials = app.flatMap({ provider.credentials(in: $0.providers) }) else {
            drop(place, provider: provider)
            return app == nil ? .unknownApp : .noProvider
        }
        return .found(await gateway(at: place, with: credentials, provider: provider))
    }

    private func gateway<Provider: PushProvider>(
        at place: Place, with credentials: Provider.Credentials, provider: Provider
    ) async -> any PushGateway {
        let known = entries[place].flatMap { $0.credentials as? Provider.Credentials == credentials ? $0 : nil }
        guard let file = provider.file(of: credentials) else {
            if let known { return known.gateway }
            let entry = make(credentials, content: nil, of: place.app, provider: provider)
            keep(entry, at: place, provider: provider)
            return entry.gateway
        }
        if let known, time.uptime - known.readAt < AppGateways.readInterval { return known.gateway }
        if let reading = readings[place] { return await reading.value.gateway }
        let reading = Task {
            await read(file, of: place.app, credentials: credentials, known: known, provider: provider)
        }
        readings[place] = reading
        let entry = await reading.value
        readings[place] = nil
        keep(entry, at: place, provider: provider)
        return entry.gateway
    }

    /// Keeps the gateway and its state unless the content of the file has changed.
    private func read<Provider: PushProvider>(
        _ file: KeyFile, of app: AppID, credentials: Provider.Credentials, known: Entry?, provider: Provider
    ) async -> Entry {
        let content = await onNativeThread("credentials") {
            SmallFile.read(file.path, bytesMaximum: AppGateways.fileBytesMaximum)
        }
        if var known, known.content == content {
            known.readAt = time.uptime
            return known
        }
        return make(credentials, content: content, of: app, provider: provider)
    }

    private func make<Provider: PushProvider>(
        _ credentials: Provider.Credentials, content: [UInt8]?, of app: AppID, provider: Provider
    ) -> Entry {
        Entry(
            credentials: credentials, content: content,
            gateway: provider.gateway(credentials, content: content, of: app), readAt: time.uptime)
    }

    private func keep<Provider: PushProvider>(_ entry: Entry, at place: Place, provider: Provider) {
        guard let former = entries.updateValue(entry, forKey: place) else { return }
        let (old, new) = (former.credentials as? Provider.Credentials, entry.credentials as? Provider.Credentials)
        if old != new { closeUnused(provider) }
    }

    private func drop<Provider: PushProvider>(_ place: Place, provider: Provider) {
        if entries.removeValue(forKey: place) != nil { closeUnused(provider) }
    }

    private func sweep<Provider: PushProvider>(_ provider: Provider) {
        let stale = entries.filter { place, entry in
            guard place.kind == provider.kind else { return false }
            let credentials = lookup(place.app).flatMap { provider.credentials(in: $0.providers) }
            return credentials != entry.credentials as? Provider.Credentials
        }
        guard !stale.isEmpty else { return }
        for place in stale.keys { entries[place] = nil }
        closeUnused(provider)
    }

    private func closeUnused<Provider: PushProvider>(_ provider: Provider) {
        let used = entries.filter { $0.key.kind == provider.kind }.values
        provider.closeUnused(keeping: used.compactMap { $0.credentials as? Provider.Credentials })
    }
}
