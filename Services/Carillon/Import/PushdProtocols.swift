import CommandKit
import PushModel
import Topics

/// The names under which a pushd knows its protocols: the names of sections in its settings, which need not be those of
/// the protocols.
struct PushdProtocols: Sendable {
    struct Meaning: Equatable, Sendable {
        let kind: PushProtocol
        var environment = Device.Environment.production
    }

    /// Ordered: of two subscribers with one token, the one whose name comes first is taken over.
    private var names: [(name: String, meaning: Meaning)] =
        ["apns", "fcm", "gcm", "c2dm", "huawei", "webpush", "wns", "mpns", "http"].compactMap { name in
            PushProtocol(name: name).map { (name, Meaning(kind: $0)) }
        }

    init() {}

    /// `rules` such as `apns-dev=apns/sandbox`.
    init(_ rules: [String]) throws(UsageError) {
        for rule in rules {
            let (name, meaning) = try PushdProtocols.parse(rule)
            names.removeAll { $0.name == name }
            names.append((name, meaning))
        }
    }

    func meaning(of name: String) -> Meaning? {
        names.first { $0.name.utf8.elementsEqual(name.utf8) }?.meaning
    }

    /// The names of the same protocol that take precedence.
    func rivals(of name: String) -> [String] {
        guard let meaning = meaning(of: name) else { return [] }
        return names.prefix { !$0.name.utf8.elementsEqual(name.utf8) }.filter { $0.meaning.kind == meaning.kind }
            .map(\.name)
    }

    private static func parse(_ rule: String) throws(UsageError) -> (String, Meaning) {
        let sides = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let words = sides.count == 2 ? sides[1].split(separator: "/", omittingEmptySubsequences: false) : []
        guard sides.count == 2, !sides[0].isEmpty, let kind = words.first.flatMap({ PushProtocol(name: String($0)) }),
            words.count <= 2
        else {
            throw UsageError("--protocol \(rule): expected NAME=PROTOCOL, such as apns-dev=apns/sandbox")
        }
        guard words.count == 2 else { return (String(sides[0]), Meaning(kind: kind)) }
        guard kind == .apns, let environment = Device.Environment(rawValue: String(words[1])) else {
            throw UsageError("--protocol \(rule): only apns has environments: apns/production and apns/sandbox")
        }
        return (String(sides[0]), Meaning(kind: kind, environment: environment))
    }
}
