import LocalTime
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps

@Suite struct AppReaderTests {
    private func read(_ text: String) throws -> (app: PushApp?, problems: [String]) {
        let (app, problems) = AppReader.read(Array(text.utf8), id: try AppID("news"), folder: "/etc/apps")
        #expect((app == nil) == !problems.isEmpty)
        return (app, problems.map(\.description))
    }

    @Test func readsEveryField() throws {
        let app = try #require(
            try read(
                """
                {
                  "identifiers": {
                    "richie": "news-app", "appmetrica": [12345, 6], "pushwoosh": "ABCDE-12345",
                    "contextpush": ["com.example.news"]
                  },
                  "providers": {
                    "apns": {"key_file": "keys/apns.p8", "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ", "topic": "com.x"},
                    "fcm": {"service_account_file": "/run/secrets/fcm.json", "project": "news-1"},
                    "huawei": {"client_id": "1001", "client_secret_file": "huawei"},
                    "webpush": {"key_file": "webpush.pem", "contact": "mailto:push@example.com"},
                    "wns": {"client_id": "ms-app://s-1-15-2", "client_secret_file": "wns", "tenant": "abc-1.example"},
                    "mpns": {"certificate_file": "mpns.pem", "certificate_key_file": "mpns.key"},
                    "http": {"signing_key_file": "http"}
                  },
                  "credentials": [{
                    "id": "k1", "hash": "hmac-sha256:\(String(repeating: "0f", count: 32))", "scopes": ["publish", "admin"],
                    "created": "2026-01-01T00:00:00Z", "expires": "2026-02-01T00:00:00Z"
                  }],
                  "allow": [{"range": "10.0.0.0/8", "scopes": ["register"]}],
                  "user_tokens": {"key_file": "users"},
                  "report": {
                    "url": "https://example.com/report", "authorization_file": "report", "signing_key_file": "sign"
                  },
                  "webhook": {
                    "url": "https://example.com/states", "secret_file": "ctx", "signing_key_file": "sign2"
                  },
                  "limits": {
                    "devices": 1000, "requests_per_second": 50, "devices_per_second": 500,
                    "pushes_per_device": {"count": 5, "per": "24h"}
                  },
                  "quiet_hours": {"start": "22:00", "end": "07:30", "time_zone": "Europe/Helsinki"},
                  "defaults": {"language": "pt-BR", "time_to_live": "12h", "failures_before_unregistering": 3,
                    "navigate": "https://example.com/news?from=push"}
                }
                """
            ).app)
        #expect(
            app.identifiers == [
                .richie: ["news-app"], .appmetrica: ["12345", "6"], .pushwoosh: ["ABCDE-12345"],
                .contextpush: ["com.example.news"],
            ])
        let apnsKey = KeyFile(field: "providers.apns.key_file", path: "/etc/apps/keys/apns.p8")
        #expect(
            app.providers.apns
                == APNsCredentials(
                    proof: .token(keyFile: apnsKey, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"), topic: "com.x"))
        #expect(app.providers.fcm?.serviceAccountFile.path == "/run/secrets/fcm.json")
        #expect(app.providers.fcm?.project == "news-1")
        #expect(app.providers.huawei?.clientID == "1001")
        #expect(
            app.keyFiles.map(\.file.path).suffix(11) == [
                "/etc/apps/huawei", "/etc/apps/webpush.pem", "/etc/apps/wns", "/etc/apps/mpns.pem",
                "/etc/apps/mpns.key", "/etc/apps/http", "/etc/apps/users", "/etc/apps/report", "/etc/apps/sign",
                "/etc/apps/ctx", "/etc/apps/sign2",
            ])
        #expect(app.keyFiles.count == 13)
        #expect(app.providers.webpush?.contact == "mailto:push@example.com")
        #expect(app.providers.wns?.clientID == "ms-app://s-1-15-2" && app.providers.wns?.tenant == "abc-1.example")
        #expect(app.providers.mpns?.certificateKeyFile?.field == "providers.mpns.certificate_key_file")
        #expect(app.providers.http?.signingKeyFile?.field == "providers.http.signing_key_file")
        let credential = try #require(app.credentials.first)
        #expect(credential.scopes == [.publish, .admin])
        #expect(credential.hash == [UInt8](repeating: 0x0F, count: 32))
        #expect(credential.expires == Timestamp(rfc3339: "2026-02-01T00:00:00Z"))
        #expect(app.allowed == [AllowedRange(range: try AddressRange("10.0.0.0/8"), scopes: [.register])])
        #expect(app.report?.url == "https://example.com/report")
        #expect(app.report?.signingKeyFile?.field == "report.signing_key_file")
        #expect(app.webhook?.url == "https://example.com/states")
        #expect(app.webhook?.secretFile.field == "webhook.secret_file")
        #expect(app.limits.devices == 1_000 && app.limits.requestsPerSecond == 50 && app.limits.devicesPerSecond == 500)
        #expect(app.limits.pushesPerDevice == PushCap(count: 5, period: .seconds(86_400)))
        #expect(app.quietHours == QuietHours(start: 1_320, end: 450, timeZone: "Europe/Helsinki"))
        #expect(app.defaults.language == "pt-BR")
        #expect(app.defaults.navigate == "https://example.com/news?from=push")
        #expect(app.defaults.timeToLive == .seconds(43_200))
        #expect(app.defaults.failuresBeforeUnregistering == 3)
    }

    @Test func anEmptyFileIsAnAppWithoutAccess() throws {
        let app = try #require(try read("{}").app)
        #expect(app == PushApp(id: try AppID("news")))
        #expect(app.defaults.failuresBeforeUnregistering == 10)
    }

    /// These devices can be sent to without any secret.
    @Test func mpnsAndHTTPNeedNoSecret() throws {
        let app = try #require(try read(#"{"providers":{"mpns":{},"http":{}}}"#).app)
        #expect(app.providers.has(.mpns) && app.providers.has(.http) && app.keyFiles.isEmpty)
        #expect(!app.providers.has(.webpush) && !app.providers.has(.wns))
    }

    @Test(arguments: [
        "mailto:a@b", "mailto:push+news@example.com", "https://example.com", "https://example.com/contact?a=b",
    ])
    func aContactIsAnAddress(text: String) {
        #expect(WebPushContact.isOne(text))
    }

    @Test(arguments: [
        "", "push@example.com", "mailto:", "mailto:@b", "mailto:a@", "mailto:a@b@c", "mailto:a b@c", "mailto:<a@b>",
        "Mailto:a@b", "mailto:ä@b", "http://example.com", "https://", "https://u:p@example.com", "tel:1",
        "mailto:a@\(String(repeating: "b", count: 256))",
    ])
    func anythingElseIsNoContact(text: String) {
        #expect(!WebPushContact.isOne(text))
    }

    @Test func aCertificateTakesThePlaceOfAKey() throws {
        let app = try read(#"{"providers":{"apns":{"certificate_file":"a.pem","topic":"com.x"}}}"#).app
        let file = KeyFile(field: "providers.apns.certificate_file", path: "/etc/apps/a.pem")
        #expect(app?.providers.apns?.proof == .certificate(file: file, keyFile: nil))
        #expect(
            try read(
                #"""
                {"providers":{"apns":{"certificate_file":"a","key_file":"b","key_id":"ABC123DEFG","team_id":"ABC123DEFG",
                "topic":"c"}}}
                """#
            ).problems.first
                == "news.json: providers.apns.certificate_file: set together with key_file; keep only one of them")
    }

    @Test(arguments: [
        (#"{"identifiers":{"appmetrica":"7"}}"#, "identifiers.appmetrica: expected an integer above 0, or an array"),
        (#"{"identifiers":{"appmetrica":[7,0]}}"#, "identifiers.appmetrica: expected an integer above 0, or an array"),
        (#"{"identifiers":{"richie":[]}}"#, "identifiers.richie: expected a string of 1 to 128 bytes, or an array"),
        (#"{"identifiers":{"ritchie":"a"}}"#, "identifiers.ritchie: unknown field; did you mean richie?"),
        (#"{"providers":{"fcm":{}}}"#, "providers.fcm.service_account_file: missing; expected the path of a file"),
        (#"{"providers":{"fcm":{"service_account_file":"\u0000"}}}"#, "service_account_file: expected the path"),
        (#"{"providers":{"huawei":{"client_secret_file":"x"}}}"#, "providers.huawei.client_id: missing"),
        (#"{"providers":{"webpush":{"key_file":"x"}}}"#, "providers.webpush.contact: missing; expected a mailto:"),
        (#"{"providers":{"webpush":{"contact":"mailto:a@b"}}}"#, "providers.webpush.key_file: missing"),
        (#"{"providers":{"webpush":{"contact":"a@b"}}}"#, "providers.webpush.contact: expected a mailto: address such"),
        (#"{"providers":{"wns":{"client_secret_file":"x"}}}"#, "providers.wns.client_id: missing"),
        (#"{"providers":{"wns":{"client_id":"x"}}}"#, "providers.wns.client_secret_file: missing"),
        (#"{"providers":{"wns":{"tenant":"a/b"}}}"#, "providers.wns.tenant: expected 1 to 64 of A-Z, a-z, 0-9,"),
        (#"{"providers":{"wns":{"tenant":".."}}}"#, "providers.wns.tenant: expected 1 to 64 of"),
        (
            #"{"providers":{"mpns":{"certificate_key_file":"x"}}}"#,
            "providers.mpns.certificate_key_file: set without certificate_file; set both or neither"
        ),
        (#"{"providers":{"http":{"key_file":"x"}}}"#, "providers.http.key_file: unknown field"),
        (#"{"credentials":[{}]}"#, "credentials[0].id: missing; expected 1 to 32 of a-z and 0-9"),
        (#"{"credentials":[{"hash":"md5:00"}]}"#, "credentials[0].hash: expected hmac-sha256: and 64 hexadecimal"),
        (#"{"credentials":[{"created":"today"}]}"#, "created: expected a time such as 2026-01-31T12:00:00Z"),
        (#"{"credentials":[{"scopes":[]}]}"#, "credentials[0].scopes: expected an array of 1 to "),
        (#"{"credentials":[{"scopes":["all"]}]}"#, "credentials[0].scopes[0]: expected one of publish, broadcast,"),
        (#"{"allow":[{"range":"10.0.0.1/8","scopes":["read"]}]}"#, "allow[0].range: expected the first address of"),
        (
            #"{"webhook":{"url":"ftp://x","secret_file":"s"}}"#,
            "webhook.url: expected an absolute https:// or http:// URL with a host and without user and password"
        ),
        (#"{"webhook":{"url":"https://example.com"}}"#, "webhook.secret_file: missing"),
        (
            #"{"report":{"url":"ftp://x"}}"#,
            "report.url: expected an absolute https:// or http:// URL with a host and without user and password"
        ),
        (
            #"{"report":{"url":"https://u:p@example.com/"}}"#,
            "report.url: expected an absolute https:// or http:// URL with a host and without user and password"
        ),
        (
            #"{"report":{"url":"https://"}}"#,
            "report.url: expected an absolute https:// or http:// URL with a host and without user and password"
        ),
        (#"{"limits":{"devices":0}}"#, "limits.devices: expected an integer from 1 to 1000000000"),
        (#"{"limits":{"pushes_per_device":5}}"#, "limits.pushes_per_device: expected an object, got a number"),
        (#"{"limits":{"pushes_per_device":{"per":"1d"}}}"#, "limits.pushes_per_device.count: missing; expected an"),
        (
            #"{"limits":{"pushes_per_device":{"count":0}}}"#,
            "limits.pushes_per_device.count: expected an integer from 1"
        ),
        (
            #"{"limits":{"pushes_per_device":{"count":1}}}"#,
            "pushes_per_device.per: missing; expected a duration from 1m"
        ),
        (
            #"{"limits":{"pushes_per_device":{"per":"31d"}}}"#,
            "limits.pushes_per_device.per: expected a duration from 1m"
        ),
        (#"{"limits":{"pushes_per_device":{"every":"1d"}}}"#, "pushes_per_device.every: unknown field"),
        (
            #"{"quiet_hours":{"start":"22:00","end":"22:00","time_zone":"UTC"}}"#,
            "quiet_hours.end: expected a time other than start"
        ),
        (#"{"quiet_hours":{"start":"7:00"}}"#, "quiet_hours.start: expected a time of day such as 22:00"),
        (#"{"quiet_hours":{"time_zone":"../etc/passwd"}}"#, "quiet_hours.time_zone: expected a time zone such as"),
        (#"{"defaults":{"language":"english language"}}"#, "defaults.language: expected a language such as en"),
        (#"{"defaults":{"navigate":"http://example.com/"}}"#, "defaults.navigate: expected an https URL"),
        (#"{"defaults":{"navigate":"/news"}}"#, "defaults.navigate: expected an https URL of at most 2048 bytes"),
        (#"{"defaults":{"time_to_live":"29d"}}"#, "defaults.time_to_live: expected a duration from 0s to 28d"),
        (#"{"defaults":{"failures_before_unregistering":0}}"#, "failures_before_unregistering: expected an integer"),
        ("[]", "expected an object, got an array"),
        ("{\n]", "line 2, column 1: unexpected ']'; expected a quoted name or }"),
        (#"{"defaults":[[[[[[[[1]]]]]]]]}"#, "nested deeper than 8"),
    ])
    func namesFileFieldAndFix(_ text: String, sentence: String) throws {
        let problems = try read(text).problems
        #expect(problems.contains { $0.hasPrefix("news.json: ") && $0.contains(sentence) }, "\(problems)")
    }

    @Test func oneIDMayNotOccurTwiceInAFile() throws {
        let entry = """
            {"id":"k1","hash":"hmac-sha256:\(String(repeating: "0", count: 64))","scopes":["read"],
            "created":"2026-01-01T00:00:00Z"}
            """
        #expect(
            try read(#"{"credentials":[\#(entry),\#(entry)]}"#).problems
                == ["news.json: credentials: duplicate id k1"])
    }

    /// Goal: no file content traps. Method: a valid file with random changes.
    @Test func aBentFileIsRefusedOrRead() throws {
        let page = try #require(SourceTree.text("docs/apps.md"))
        let seed = Array(try #require(MarkdownCode.blocks("json", inPage: page).first).utf8)
        let random = SeededRandomSource(seed: 11)
        let noise = Array("\"\\{}[]:,0-.e/\u{1}é".utf8) + [0xFF]
        let id = try AppID("news")
        for _ in 0..<3_000 {
            var bytes = seed
            for _ in 0...(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = noise[Int(random.next() % UInt64(noise.count))]
            }
            let (app, problems) = AppReader.read(bytes, id: id, folder: "apps")
            #expect((app == nil) == !problems.isEmpty)
        }
    }
}
