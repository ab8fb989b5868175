/// A body designed to be expensive, and its route.
struct HostileDocument: Sendable {
    static let bytes = 256 << 10

    let name: String
    let path: String
    let type: String
    let body: [UInt8]

    private init(_ name: String, path: String, body: String, type: String = "application/json") {
        self.name = name
        self.path = path
        self.type = type
        self.body = Array(body.utf8)
    }

    static let all = native + richie + pushd

    /// Returns as many items as fit between a start and an end.
    private static func filled(
        _ start: String, _ end: String, bytes: Int = bytes, separator: String = ",", item: (Int) -> String
    ) -> String {
        var text = start
        var room = bytes - start.utf8.count - end.utf8.count
        for number in 0... {
            let next = (number > 0 ? separator : "") + item(number)
            room -= next.utf8.count
            guard room >= 0 else { break }
            text += next
        }
        return text + end
    }

    private static func repeated(_ text: String, bytes: Int = bytes - 200) -> String {
        String(repeating: text, count: bytes / text.utf8.count)
    }

    private static func nested(_ depth: Int, inside: String) -> String {
        String(repeating: #"{"a":"#, count: depth) + inside + String(repeating: "}", count: depth)
    }

    private static let emoji = "\u{1F468}\u{200D}"
    private static let audience = #""audience":{"topic":"a"}"#
    private static let message = #""message":{"body":"x"}"#
    private static let target = "{\(audience),"

    private static let native: [HostileDocument] = texts.map {
        HostileDocument("tasks: \($0)", path: "/v1/tasks", body: $1)
    }

    private static let texts: [(String, String)] = [
        ("unknown names", filled("{\(audience),\(message),", "}") { #""k\#($0)":0"# }),
        ("unknown names that look known", filled("{\(audience),", "}") { #""mesage\#($0)":0"# }),
        ("one name often", filled("{", "}") { _ in #""users":[]"# }),
        ("a name of a megabyte", "{\(audience),\(message),\"\(repeated(emoji))\":1}"),
        (
            "names of one letter",
            filled("{\(audience),\(message),", "}") { #""\#($0)\#(String(repeating: emoji, count: 600))":1"# }
        ),
        ("marks", "{\(audience),\"\(repeated("\u{301}\u{323}"))\":{}}"),
        ("deep lists", repeated("[", bytes: bytes / 2) + repeated("]", bytes: bytes / 2)),
        (
            "deep data",
            filled(#"\#(target)"message":{"body":"x","data":{"#, "}}}") { #""k\#($0)":\#(nested(18, inside: "1"))"# }
        ),
        ("languages", filled(#"\#(target)"message":{"body":{"default":"x","#, "}}}") { #""l\#($0)":"x""# }),
        (
            "long languages",
            filled(#"\#(target)"message":{"body":{"default":"x","#, "}}}") {
                #""l\#($0)\#(String(repeating: "é", count: 4_000))":"x""#
            }
        ),
        (
            "many languages of long texts",
            languages(count: 127, text: String(repeating: "y", count: 2_500), standard: "x")
        ),
        (
            "many languages of large texts",
            languages(count: 127, text: "x", standard: String(repeating: "y", count: 1_200))
        ),
        (
            "many languages of variables",
            languages(
                count: 127, text: String(repeating: "${var.a}", count: 400), standard: "x", #","variables":{"a":"b"}"#)
        ),
        (
            "long variables in many languages",
            languages(
                count: 127, text: "x", standard: "${var.a}" + String(repeating: "$", count: 200),
                #","variables":{"a":"\#(String(repeating: "v", count: 1_000))"}"#)
        ),
        ("variables", filled(#"\#(target)\#(message),"variables":{"#, "}}") { #""v\#($0)":"x""# }),
        ("a text of ${", "\(target)\"message\":{\"body\":\"\(repeated("${"))\"}}"),
        ("lists for texts", filled(#"\#(target)"message":{"title":["#, "]}}") { _ in "0" }),
        ("a list for the document", filled("[", "]") { _ in "0" }),
        ("users that are numbers", filled("{\(message),\"users\":[", "]}") { _ in "0" }),
        ("users that are empty", filled("{\(message),\"users\":[", "]}") { _ in #""""# }),
        ("one user often", filled("{\(message),\"users\":[", "]}") { _ in #""u""# }),
        ("one device often", filled("{\(message),\"devices\":[", "]}", bytes: 250_000 * 14) { _ in #""J8lHY4X1XkU""# }),
        ("parts", filled("{\(message),\"audience\":{\"any\":[", "]}}") { _ in #"{"topic":"a"}"# }),
        ("a tree of parts", filled("{\(message),\"audience\":{\"any\":[", "]}}") { _ in tree }),
        (
            "long paths in data",
            filled(
                #"\#(target)"payloads":{"android":{"data":{"\#(repeated("a", bytes: 120_000))":{"#, "}}}}}",
                bytes: 243_000
            ) {
                #""\#(String($0, radix: 16))":1"#
            }
        ),
        (
            "long paths to nothing",
            filled(#"\#(target)"payloads":{"android":{"data":{"\#(repeated("a", bytes: 100_000))":{"#, "}}}}}") {
                #""\#(String($0, radix: 16))":{}"#
            }
        ),
        ("numbers in data", filled(#"\#(target)"payloads":{"android":{"data":{"a":["#, "]}}}}") { _ in "1e9" }),
        (
            "names in a notification",
            filled(#"\#(target)"payloads":{"android":{"notification":{"#, "}}}}") { #""n\#($0)":"x""# }
        ),
        ("names in aps", filled(#"\#(target)"payloads":{"ios":{"aps":{"#, "}}}}") { #""n\#($0)":1"# }),
        ("names in data", filled(#"\#(target)"message":{"body":"x","data":{"#, "}}}") { #""n\#($0)":1"# }),
        ("controls in data", #"\#(target)"message":{"body":"x","data":{"a":"\#(repeated(#"\u0001"#))"}}}"#),
    ]

    private static let tree =
        #"{"any":["# + Array(repeating: #"{"not":{"all":true}}"#, count: 250).joined(separator: ",") + "]}"

    private static func languages(count: Int, text: String, standard: String, _ more: String = "") -> String {
        let texts = ["title", "subtitle", "body"].map { field in
            let translations = (0..<count).map { #""\#(field.prefix(1))\#($0)":"\#(text)""# }
            return #""\#(field)":{"default":"\#(standard)",\#(translations.joined(separator: ","))}"#
        }
        return #"\#(target)"message":{\#(texts.joined(separator: ","))}\#(more)}"#
    }

    private static let richie: [HostileDocument] = {
        let head = #"{"app_id":"example","topics":["a"],"#
        let android = #""payloads":{"android":{"data":{"body":"x""#
        let texts: [(String, String)] = [
            ("unknown names", filled(head, "}") { #""topic\#($0)":0"# }),
            ("dashes", filled(#"\#(head)\#(android),"#, "}}}}") { #""isue-pag\#($0)":0"# }),
            (
                "dashes for Apple",
                filled(#"\#(head)"payloads":{"ios":{"aps":{"alert":{"body":"x","#, "}}}}}") { #""isue-pag\#($0)":0"# }
            ),
            (
                "names in aps",
                filled(#"\#(head)"payloads":{"ios":{"aps":{"alert":{"body":"x"},"#, "}}}}") { #""categry\#($0)":0"# }
            ),
            (
                "nested keys",
                filled(#"\#(head)"payloads":{"android":{"data":{"alert":{"body":"x"},"#, "}}}}") { #""k\#($0)":[]"# }
            ),
            ("own keys", filled(#"\#(head)\#(android),"#, "}}}}") { #""k\#($0)":0"# }),
            ("nulls", filled(#"\#(head)\#(android),"#, "}}}}") { #""k\#($0)":null"# }),
            ("an address", #"\#(head)\#(android),"external-browser-url":"https://\#(repeated(emoji))"}}}}"#),
            ("users", filled(#"{"app_id":"example",\#(android)}}},"external_user_ids":["#, "]}") { _ in "0" }),
            ("topics", filled(#"{"app_id":"example",\#(android)}}},"topics":["#, "]}") { _ in #""a""# }),
            ("no app", filled(#"{"payloads":{"android":{"data":{"body":"x","#, "}}}}") { #""isue-pag\#($0)":0"# }),
        ]
        return texts.map { HostileDocument("richie: \($0)", path: "/push/v2/admin/task", body: $1) }
    }()

    /// The id belongs to no device: the cost of a body arises before the id is looked up.
    private static let pushd: [HostileDocument] = {
        let subscriber = "/subscriber/J8lHY4X1XkU"
        let all = "\(subscriber)/subscriptions"
        let form = "application/x-www-form-urlencoded"
        return [
            HostileDocument(
                "pushd: names", path: "/subscribers", body: filled(#"{"proto":"apns","#, "}") { #""k\#($0)":0"# }),
            HostileDocument(
                "pushd: a token", path: "/subscribers", body: #"{"proto":"fcm","token":"\#(repeated("a"))"}"#),
            HostileDocument("pushd: numbers", path: subscriber, body: filled(#"{"lang":["#, "]}") { _ in "0" }),
            HostileDocument(
                "pushd: names in a form", path: "/subscribers", body: filled("", "", separator: "&") { "k\($0)" },
                type: form),
            HostileDocument("pushd: escapes", path: subscriber, body: "lang=" + repeated("%41"), type: form),
            HostileDocument("pushd: ampersands", path: subscriber, body: repeated("&"), type: form),
            HostileDocument("pushd: subscriptions", path: all, body: filled("{", "}") { #""k\#($0)":{}"# }),
            HostileDocument("pushd: one event often", path: all, body: filled("{", "}") { _ in #""k":{}"# }),
            HostileDocument("pushd: no events", path: all, body: filled("{", "}") { #""\u0007\#($0)":{}"# }),
            HostileDocument(
                "pushd: options in a form", path: all, body: filled("", "", separator: "&") { "k\($0)[a]" }, type: form),
            HostileDocument(
                "pushd: options of one event", path: all, body: filled("", "", separator: "&") { "k[\($0)]" },
                type: form),
            HostileDocument(
                "pushd: events in a form", path: all, body: filled("", "", separator: "&") { "k\($0)" }, type: form),
            HostileDocument(
                "pushd: an option", path: "\(all)/a", body: filled(#"{"ignore_message":["#, "]}") { _ in "0" }),
        ]
    }()
}
