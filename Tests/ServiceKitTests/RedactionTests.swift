import ServiceKit
import Testing

@Suite struct RedactionTests {
    private static let apnsToken = String(repeating: "0123456789abcdef", count: 4)

    @Test(arguments: [
        apnsToken,
        apnsToken.uppercased(),
        "fGciOiJSUzI:APA91b" + String(repeating: "Hk3_-", count: 30),
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiZWxsIn0." + String(repeating: "a1B2_", count: 17),
        "pu3WTKVbF9TtrG7ygGVLjg4LHpYJz1XmqR5cS0dAeUw",
        "pu3WTKVb/9TtrG7y+GVLjg4L/pYJz1Xm/R5cS0dAeUw=",
    ])
    func hidesTokensAndKeys(secret: String) {
        for text in [secret, "token=\(secret)", "POST /3/device/\(secret) failed", "(\(secret))"] {
            let redacted = Redaction.redact(text)
            #expect(redacted.contains("[redacted "))
            // The last part is the signature of a JSON Web Token, without which the other parts are useless.
            #expect(!redacted.contains(secret.split(separator: ".").last ?? ""))
        }
    }

    @Test(arguments: [
        "task 550e8400-e29b-41d4-a716-446655440000 closed, which is well beyond forty characters",
        "task=550e8400-e29b-41d4-a716-446655440000",
        "content:550e8400-e29b-41d4-a716-446655440000",
        "trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "/var/lib/carillon/apps/bells-of-the-first-tower-2024/current",
        "https://fcm.googleapis.com/v1/projects/bells-1234/messages:send",
        "a-long-name-without-any-digit-stays-readable-as-it-is",
        "bell@example.com",
    ])
    func leavesIdentifiersAndAddressesReadable(text: String) {
        #expect(Redaction.redact(text) == text)
    }

    @Test(arguments: [
        ("redis://user:secret@host:6379", "redis://user:[redacted]@host:6379"),
        ("redis://:secret@host", "redis://:[redacted]@host"),
        ("a redis://u:p@h, b kafka://v:s#?@x:9", "a redis://u:[redacted]@h, b kafka://v:[redacted]@x:9"),
        ("redis://u:p@ss@host", "redis://u:[redacted]@host"),
        ("redis://user@host", "redis://user@host"),
        ("https://host:443/@me", "https://host:443/@me"),
        ("redis://u:p@\u{301}host", "redis://u:[redacted]@\u{301}host"),
        ("redis://\u{301}u:p@host", "redis://\u{301}u:[redacted]@host"),
    ])
    func hidesPasswordsInAddresses(text: String, expected: String) {
        #expect(Redaction.redact(text) == expected)
    }

    /// Without a clock: a quadratic algorithm would take minutes at least.
    @Test(arguments: ["://", "://a:", "a@", "\u{301}", "=", "a1", "/a1A", ":://@"])
    func staysLinearOnHostileText(unit: String) {
        #expect(!Redaction.redact(String(repeating: unit, count: 200_000)).isEmpty)
    }
}
