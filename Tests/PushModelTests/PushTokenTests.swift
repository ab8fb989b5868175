import PushModel
import Testing

@Suite struct PushTokenTests {
    private func accepts(_ kind: PushProtocol, text: String) -> Bool {
        (try? PushToken(kind, text: text)) != nil
    }

    private func padded(_ text: String, to count: Int) -> String {
        text + String(repeating: "a", count: count - text.utf8.count)
    }

    @Test(arguments: [
        (PushProtocol.apns, "", 64, 200), (.fcm, "", 32, 4_096), (.huawei, "", 16, 1_024),
        (.webpush, "https://", 12, 2_048), (.wns, "https://", 12, 2_048), (.mpns, "http://", 11, 2_048),
        (.http, "http://", 11, 2_048),
    ])
    func eachProviderHasItsLengths(kind: PushProtocol, start: String, shortest: Int, longest: Int) {
        let step = kind == .apns ? 2 : 1
        #expect(accepts(kind, text: padded(start, to: shortest)))
        #expect(accepts(kind, text: padded(start, to: longest)))
        #expect(!accepts(kind, text: padded(start, to: shortest - step)))
        #expect(!accepts(kind, text: padded(start, to: longest + step)))
        #expect(!accepts(kind, text: ""))
    }

    @Test(arguments: PushProtocol.ofDevices)
    func noProviderTakesBlanksControlsOrLettersBeyondASCII(kind: PushProtocol) {
        let start = kind == .apns || kind == .fcm || kind == .huawei ? "" : "https://"
        let good = padded(start, to: 80)
        #expect(accepts(kind, text: good))
        for bad in [" ", "\n", "\0", "\u{7F}", "é", "ａ", "\u{1F514}"] {
            #expect(!accepts(kind, text: String(good.dropLast(bad.utf8.count)) + bad), "\(bad.debugDescription)")
        }
    }

    @Test func appleTokensAreStoredInLowerCase() throws {
        let upper = try PushToken(.apns, text: String(repeating: "0F", count: 32))
        #expect(upper.text == String(repeating: "0f", count: 32))
        #expect(try PushToken(.apns, text: String(repeating: "0f", count: 32)) == upper)
        #expect(!accepts(.apns, text: String(repeating: "0f", count: 32) + "0"))
        #expect(!accepts(.apns, text: String(repeating: "0g", count: 32)))
    }

    @Test func otherTokensKeepTheirCase() throws {
        let text = String(repeating: "aB", count: 20)
        #expect(try PushToken(.fcm, text: text).text == text)
        #expect(try PushToken(.fcm, text: text) != PushToken(.fcm, text: text.lowercased()))
    }

    @Test func addressesNeedTheirScheme() {
        for kind in [PushProtocol.webpush, .wns] {
            #expect(accepts(kind, text: "https://push.example/x"))
            #expect(!accepts(kind, text: "http://push.example/x"))
        }
        for kind in [PushProtocol.mpns, .http] {
            #expect(accepts(kind, text: "https://push.example/x"))
            #expect(accepts(kind, text: "http://push.example/x"))
            #expect(!accepts(kind, text: "file:///etc/passwd"))
        }
        #expect(!accepts(.webpush, text: "HTTPS://push.example/x"))
    }

    @Test func whatIsWrongIsSaid() {
        #expect(throws: InvalidValueError("expected 64 to 200 hexadecimal digits, an even number of them")) {
            try PushToken(.apns, text: "x")
        }
    }

    @Test func protocolsHaveNamesAndOldNames() {
        for kind in PushProtocol.allCases { #expect(PushProtocol(name: kind.name) == kind) }
        #expect(PushProtocol(name: "gcm") == .fcm)
        #expect(PushProtocol(name: "c2dm") == .fcm)
        #expect(PushProtocol(name: "APNS") == nil)
        #expect(PushProtocol(name: "") == nil)
    }
}
