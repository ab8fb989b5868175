import JSONKit
import LocalTime
import PushModel
import ServiceKit

/// Parses an app file into an app, or into a list of all its problems.
struct AppReader {
    static let bytesMaximum = 256 * 1_024
    /// Of one key.
    private static let originsMaximum = 64

    private let id: AppID
    /// Base of relative paths in the file.
    private let folder: String

    /// The app is nil if there is any problem.
    static func read(_ bytes: [UInt8], id: AppID, folder: String) -> (app: PushApp?, problems: [AppProblem]) {
        let file = AppFolder.fileName(of: id)
        do throws(JSONError) {
            let problems = JSONProblems()
            let document = try JSON(bytes, limits: JSONLimits(bytesMaximum: bytesMaximum, depthMaximum: 8))
            let app = AppReader(id: id, folder: folder).app(JSONFields(document, problems: problems))
            let named = problems.all.map { AppProblem.error(file, field: $0.path, message: $0.message) }
            return (named.isEmpty ? app : nil, named)
        } catch {
            return (nil, [.error(file, field: "", message: "\(error)")])
        }
    }

    private func app(_ fields: JSONFields) -> PushApp {
        var app = PushApp(id: id)
        if let identifiers = fields.object("identifiers") { app.identifiers = self.identifiers(identifiers) }
        if let providers = fields.object("providers") { app.providers = self.providers(providers) }
        app.credentials = credentials(fields)
        app.allowed = allowed(fields)
        if let tokens = fields.object("user_tokens") {
            app.userTokenKeyFile = file(tokens, name: "key_file")
            tokens.rejectUnknown()
        }
        if let report = fields.object("report") { app.report = self.report(report) }
        if let webhook = fields.object("webhook") { app.webhook = self.webhook(webhook) }
        if let limits = fields.object("limits") { app.limits = self.limits(limits) }
        if let quietHours = fields.object("quiet_hours") { app.quietHours = self.quietHours(quietHours) }
        if let defaults = fields.object("defaults") { app.defaults = self.defaults(defaults) }
        fields.rejectUnknown()
        return app
    }

    private func identifiers(_ fields: JSONFields) -> [TaskDialect: [String]] {
        var identifiers: [TaskDialect: [String]] = [:]
        for dialect in TaskDialect.allCases {
            guard let kind = dialect.appIdentifier else { continue }
            let expected =
                switch kind {
                case .number: "an integer above 0, or an array of up to 32 of them"
                case .text: "a string of 1 to 128 bytes, or an array of up to 32 of them"
                }
            let read = fields.value(dialect.rawValue, expected: expected) { value in
                let all = value.elements ?? [value]
                let texts = all.compactMap { identifier($0, kind: kind) }
                return texts.count == all.count && 1...32 ~= all.count ? texts : nil
            }
            if let read { identifiers[dialect] = read }
        }
        fields.rejectUnknown()
        return identifiers
    }

    private func identifier(_ value: JSON, kind: TaskDialect.AppIdentifier) -> String? {
        switch (kind, value) {
        case (.number, .integer(let number)) where number > 0: String(number)
        case (.text, .string(let text)) where 1...128 ~= text.utf8.count: text
        default: nil
        }
    }

    private func providers(_ fields: JSONFields) -> ProviderCredentials {
        var providers = ProviderCredentials()
        providers.apns = fields.object("apns").flatMap(apns)
        providers.fcm = fields.object("fcm").flatMap(fcm)
        providers.huawei = fields.object("huawei").flatMap(huawei)
        providers.webpush = fields.object("webpush").flatMap(webpush)
        providers.wns = fields.object("wns").flatMap(wns)
        providers.mpns = fields.object("mpns").map(mpns)
        providers.http = fields.object("http").map(http)
        fields.rejectUnknown()
        return providers
    }

    private func apns(_ fields: JSONFields) -> APNsCredentials? {
        let topic = fields.text("topic", expected: "the app's bundle id", isRequired: true) { text in
            1...155 ~= text.utf8.count ? text : nil
        }
        let hasCertificate = fields.has("certificate_file")
        if hasCertificate && fields.has("key_file") {
            fields.reject("certificate_file", message: "set together with key_file; keep only one of them")
        }
        let proof = hasCertificate ? apnsCertificate(fields) : apnsToken(fields)
        fields.rejectUnknown()
        guard let topic, let proof else { return nil }
        return APNsCredentials(proof: proof, topic: topic)
    }

    private func apnsCertificate(_ fields: JSONFields) -> APNsCredentials.Proof? {
        let keyFile = file(fields, name: "certificate_key_file", isRequired: false)
        return file(fields, name: "certificate_file").map { .certificate(file: $0, keyFile: keyFile) }
    }

    private func apnsToken(_ fields: JSONFields) -> APNsCredentials.Proof? {
        let keyFile = file(fields, name: "key_file")
        let keyID = appleID(fields, name: "key_id")
        let teamID = appleID(fields, name: "team_id")
        guard let keyFile, let keyID, let teamID else { return nil }
        return .token(keyFile: keyFile, keyID: keyID, teamID: teamID)
    }

    private func appleID(_ fields: JSONFields, name: String) -> String? {
        fields.text(name, expected: "10 characters of A-Z and 0-9, as shown by Apple", isRequired: true) { text in
            let isPlain = text.utf8.allSatisfy { $0.isASCIIUppercase || $0.isASCIIDigit }
            return text.utf8.count == 10 && isPlain ? text : nil
        }
    }

    private func fcm(_ fields: JSONFields) -> FCMCredentials? {
        let serviceAccount = file(fields, name: "service_account_file")
        let project = fields.text("project", bytesMaximum: 64)
        fields.rejectUnknown()
        return serviceAccount.map { FCMCredentials(serviceAccountFile: $0, project: project) }
    }

    private func huawei(_ fields: JSONFields) -> HuaweiCredentials? {
        let clientID = fields.text("client_id", bytesMaximum: 64, isRequired: true)
        let secret = file(fields, name: "client_secret_file")
        let project = fields.text("project", bytesMaximum: 64)
        fields.rejectUnknown()
        guard let clientID, let secret else { return nil }
        return HuaweiCredentials(clientID: clientID, clientSecretFile: secret, project: project)
    }

    private func webpush(_ fields: JSONFields) -> WebPushCredentials? {
        let keyFile = file(fields, name: "key_file")
        let contact = fields.text("contact", expected: WebPushContact.rule, isRequired: true) { text in
            WebPushContact.isOne(text) ? text : nil
        }
        fields.rejectUnknown()
        guard let keyFile, let contact else { return nil }
        return WebPushCredentials(keyFile: keyFile, contact: contact)
    }

    private func wns(_ fields: JSONFields) -> WNSCredentials? {
        let clientID = fields.text("client_id", bytesMaximum: 256, isRequired: true)
        let secret = file(fields, name: "client_secret_file")
        // It becomes part of a path.
        let tenant = fields.text("tenant", expected: "1 to 64 of A-Z, a-z, 0-9, - and .") { text in
            let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
            return 1...64 ~= text.utf8.count && isPlain && text.utf8.contains { $0 != UInt8(ascii: ".") } ? text : nil
        }
        fields.rejectUnknown()
        guard let clientID, let secret else { return nil }
        return WNSCredentials(clientID: clientID, clientSecretFile: secret, tenant: tenant)
    }

    private func mpns(_ fields: JSONFields) -> MPNSCredentials {
        let certificate = file(fields, name: "certificate_file", isRequired: false)
        let key = file(fields, name: "certificate_key_file", isRequired: false)
        if key != nil, certificate == nil {
            fields.reject("certificate_key_file", message: "set without certificate_file; set both or neither")
        }
        fields.rejectUnknown()
        return MPNSCredentials(certificateFile: certificate, certificateKeyFile: key)
    }

    private func http(_ fields: JSONFields) -> HTTPPushCredentials {
        let signingKey = file(fields, name: "signing_key_file", isRequired: false)
        fields.rejectUnknown()
        return HTTPPushCredentials(signingKeyFile: signingKey)
    }

    private func credentials(_ fields: JSONFields) -> [Credential] {
        let credentials = fields.elements("credentials", countMaximum: 64).compactMap { $0.fields.flatMap(credential) }
        let ids = credentials.map(\.id)
        for id in Set(ids) where ids.filter({ $0 == id }).count > 1 {
            fields.reject("credentials", message: "duplicate id \(id)")
        }
        return credentials
    }

    private func credential(_ fields: JSONFields) -> Credential? {
        let id = fields.text("id", expected: "1 to 32 of a-z and 0-9", isRequired: true) { APIKey.isID($0) ? $0 : nil }
        let hash = fields.text(
            "hash", expected: "\(CredentialText.hashShape)", isRequired: true, convert: CredentialText.hash)
        let rights = rights(fields)
        let created = time(fields, name: "created", isRequired: true)
        let expires = time(fields, name: "expires", isRequired: false)
        fields.rejectUnknown()
        guard let id, let hash, let created else { return nil }
        return Credential(id: id, hash: hash, rights: rights, created: created, expires: expires)
    }

    private func rights(_ fields: JSONFields) -> KeyRights {
        let scopes = scopes(fields)
        let isPublic = fields.bool("public") == true
        if isPublic, !scopes.isSubset(of: KeyRights.publicScopes) {
            fields.reject("scopes", message: "expected only register, because the key is public")
        }
        let origins = fields.elements("origins", countMaximum: AppReader.originsMaximum).compactMap { element in
            element.text(expected: WebOrigin.rule) { WebOrigin($0) }
        }
        return KeyRights(scopes: scopes, isPublic: isPublic, origins: origins)
    }

    private func allowed(_ fields: JSONFields) -> [AllowedRange] {
        fields.elements("allow", countMaximum: 64).compactMap { element in
            guard let fields = element.fields else { return nil }
            let range = fields.text("range", bytesMaximum: 64, isRequired: true).flatMap { text in
                do throws(AddressRange.FormatError) {
                    return try AddressRange(text)
                } catch {
                    fields.reject("range", message: "\(error)")
                    return nil
                }
            }
            let scopes = scopes(fields)
            fields.rejectUnknown()
            return range.map { AllowedRange(range: $0, scopes: scopes) }
        }
    }

    private func scopes(_ fields: JSONFields) -> Set<Scope> {
        let all = Scope.allCases.map(\.rawValue)
        let elements = fields.elements("scopes", countMinimum: 1, countMaximum: all.count, isRequired: true)
        return Set(elements.compactMap { $0.text(expected: "one of \(all.joined(separator: ", "))", Scope.init) })
    }

    private func report(_ fields: JSONFields) -> ReportEndpoint? {
        let url = endpointURL(fields)
        let authorization = file(fields, name: "authorization_file", isRequired: false)
        let signingKey = file(fields, name: "signing_key_file", isRequired: false)
        fields.rejectUnknown()
        return url.map { ReportEndpoint(url: $0, authorizationFile: authorization, signingKeyFile: signingKey) }
    }

    private func webhook(_ fields: JSONFields) -> WebhookEndpoint? {
        let url = endpointURL(fields)
        let secret = file(fields, name: "secret_file")
        let signingKey = file(fields, name: "signing_key_file", isRequired: false)
        fields.rejectUnknown()
        guard let url, let secret else { return nil }
        return WebhookEndpoint(url: url, secretFile: secret, signingKeyFile: signingKey)
    }

    private func endpointURL(_ fields: JSONFields) -> String? {
        fields.text(
            "url", expected: "an absolute https:// or http:// URL with a host and without user and password",
            isRequired: true
        ) { text in
            WebAddress(text) != nil && text.utf8.allSatisfy { $0 < 0x80 } ? text : nil
        }
    }

    private func limits(_ fields: JSONFields) -> AppLimits {
        var limits = AppLimits()
        limits.devices = fields.integer("devices", in: 1...1_000_000_000)
        limits.requestsPerSecond = fields.integer("requests_per_second", in: 1...1_000_000)
        limits.devicesPerSecond = fields.integer("devices_per_second", in: PushRate.allowed)
        if let cap = fields.object("pushes_per_device") { limits.pushesPerDevice = pushCap(cap) }
        fields.rejectUnknown()
        return limits
    }

    private func pushCap(_ fields: JSONFields) -> PushCap? {
        let count = fields.integer("count", in: PushCap.counts, isRequired: true)
        let period = fields.text("per", expected: "a duration from 1m to 30d, such as 24h", isRequired: true) { text in
            DurationText.parse(text).flatMap { PushCap.periods ~= $0 ? $0 : nil }
        }
        fields.rejectUnknown()
        guard let count, let period else { return nil }
        return PushCap(count: count, period: period)
    }

    private func quietHours(_ fields: JSONFields) -> QuietHours? {
        let start = timeOfDay(fields, name: "start")
        let end = timeOfDay(fields, name: "end")
        let zone = fields.text("time_zone", expected: "a time zone such as Europe/Helsinki", isRequired: true) { text in
            TimeZoneName.isPossible(text) ? text : nil
        }
        if let start, start == end { fields.reject("end", message: "expected a time other than start") }
        fields.rejectUnknown()
        guard let start, let end, let zone else { return nil }
        return QuietHours(start: start, end: end, timeZone: zone)
    }

    private func timeOfDay(_ fields: JSONFields, name: String) -> Int? {
        fields.text(name, expected: "a time of day such as 22:00", isRequired: true) { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = UInt8(parts[0]), hour < 24,
                let minute = UInt8(parts[1]), minute < 60
            else { return nil }
            return Int(hour) * 60 + Int(minute)
        }
    }

    private func defaults(_ fields: JSONFields) -> AppDefaults {
        var defaults = AppDefaults()
        defaults.language = fields.text("language", expected: "a language such as en or pt-BR") { text in
            LanguageName.isPossible(text) ? text : nil
        }
        defaults.navigate = fields.text(
            "navigate", expected: "an https URL of at most \(WebAddress.bytesMaximum) bytes"
        ) { text in
            WebAddress(text)?.scheme == .https ? text : nil
        }
        let lifetime = fields.text("time_to_live", expected: "a duration from 0s to 28d, such as 12h") { text in
            DurationText.parse(text).flatMap { .zero ... .seconds(28 * 86_400) ~= $0 ? $0 : nil }
        }
        defaults.timeToLive = lifetime ?? defaults.timeToLive
        let failures = fields.integer("failures_before_unregistering", in: 1...1_000)
        defaults.failuresBeforeUnregistering = failures ?? defaults.failuresBeforeUnregistering
        fields.rejectUnknown()
        return defaults
    }

    private func time(_ fields: JSONFields, name: String, isRequired: Bool) -> Timestamp? {
        fields.text(name, expected: "a time such as 2026-01-31T12:00:00Z", isRequired: isRequired) {
            Timestamp(rfc3339: $0)
        }
    }

    private func file(_ fields: JSONFields, name: String, isRequired: Bool = true) -> KeyFile? {
        let field = "\(fields.path).\(name)"
        return fields.text(name, expected: "the path of a file", isRequired: isRequired) { text in
            guard 1...1_024 ~= text.utf8.count, !text.utf8.contains(0) else { return nil }
            return KeyFile(field: field, path: text.hasPrefix("/") ? text : "\(folder)/\(text)")
        }
    }
}
