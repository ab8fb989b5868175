import Apps
import ServiceKit
import TestSupport
import Testing

@Suite struct PresentedKeyTests {
    @Test(arguments: [
        ("Bearer ck_1_x", "ck_1_x"), ("bearer  ck_1_x ", "ck_1_x"), ("Token ck_1_x", "ck_1_x"),
        ("OAuth ck_1_x", "ck_1_x"),
        // user:ck_1_x, and ck_1_x without a password
        ("Basic dXNlcjpja18xX3g=", "ck_1_x"), ("Basic Y2tfMV94Og==", "ck_1_x"), ("Basic Y2tfMV94Og", "ck_1_x"),
        // A password with a colon, and one whose Base64 has both special characters.
        ("Basic dTphOmI=", "a:b"), ("Basic dTo+Pz8+", ">??>"),
    ])
    func isFoundWhereEachDialectPutsIt(_ header: String, key: String) {
        #expect(PresentedKey.text(inAuthorization: header) == key)
    }

    /// Not nil: a caller that sends a header is not authorized by its address instead.
    @Test(arguments: ["", "Bearer", "Digest x", "Basic !!", "Basic dXNlcg==", "Basic /////w==", "ck_1_x"])
    func aHeaderWithoutAKeyIsAnEmptyKey(_ header: String) {
        #expect(PresentedKey.text(inAuthorization: header) == "")
    }

    @Test func noHeaderIsNoKey() {
        #expect(PresentedKey.text(inAuthorization: nil) == nil)
    }

    /// A header of the maximum size, full of the marks most expensive to compare: as scheme, as key and as password.
    @Test(arguments: [
        CombiningMarks.text(bytes: 16_000), "Bearer " + CombiningMarks.text(bytes: 16_000),
        CombiningMarks.text(bytes: 16_000) + " x",
        "Basic Ojo6" + String(repeating: "zIHMo8yBzKPMgcyj", count: 1_000),
    ])
    func whatNoKeyIsCostsNothing(_ header: String) {
        var keys: Set<String> = []
        let time = threadTime {
            for _ in 0..<10 { keys.insert(PresentedKey.text(inAuthorization: header) ?? "none") }
        }
        #expect(keys == [""])
        #expect(time < .microseconds(1) * 10 * header.utf8.count, "\(time) for \(header.utf8.count) bytes")
    }
}
