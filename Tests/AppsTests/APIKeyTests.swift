import Testing

@testable import Apps

@Suite struct APIKeyTests {
    @Test func everyKeyIsAnotherAndReadsBack() throws {
        var seen: Set<String> = []
        // The Base64 alphabet contains the separator, so a few hundred keys are enough to have it in a secret.
        for _ in 0..<500 {
            let key = APIKey.random()
            let text = key.reveal()
            let parts = text.split(separator: "_", maxSplits: 2)
            #expect(parts.count == 3 && parts[0] == "ck" && parts[1] == key.id && parts[2].utf8.count == 43)
            let again = try #require(APIKey(text))
            #expect(again.id == key.id)
            #expect(again.secret == key.secret)
            #expect(seen.insert(text).inserted)
        }
    }

    @Test func itNeverPrintsItsSecret() {
        let key = APIKey.random()
        let secret = key.reveal().suffix(43)
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\([key])", dumped] {
            #expect(!text.contains(secret))
            #expect(!text.contains("\(key.secret)"))
        }
        #expect("\(key)" == "ck_\(key.id)_[secret]")
    }

    @Test func refusesWhatIsNoKey() {
        let secret = String(repeating: "A", count: 43)
        #expect(APIKey("ck_1_\(secret)") != nil)
        let wrong = [
            "", "ck", "ck_1", "ck__\(secret)", "ck_1_\(secret)A", "ck_1_\(secret.dropLast())", "xx_1_\(secret)",
            "ck_1_\(secret.dropLast())+", "ck_1_\(secret.dropLast())B", "ck_A_\(secret)", "ck_é_\(secret)",
            "ck_\(String(repeating: "1", count: 33))_\(secret)", " ck_1_\(secret)",
        ]
        for text in wrong { #expect(APIKey(text) == nil, "\(text)") }
    }
}
