/// A generated request: an operation's template whose hole is filled with repetitions of one fragment.
struct HostileRequest: CustomStringConvertible {
    let operation: HostileOperation
    let template: String
    let fragment: HostileFragment
    let text: String

    /// At most `bytesMaximum`, plus the template itself. Nil if the fragment makes no sense in the template.
    init?(_ input: inout FuzzInput, bytesMaximum: Int) {
        let operation = HostileOperation.allCases[input.number(below: HostileOperation.allCases.count)]
        let template = operation.templates[input.number(below: operation.templates.count)]
        let fragments = HostileFragment.all.filter { $0.fits(template) }
        guard !fragments.isEmpty else { return nil }
        let fragment = fragments[input.number(below: fragments.count)]
        // Small requests are as frequent as large ones.
        let bytes = bytesMaximum >> input.number(below: 3)
        self.init(operation, template: template, fragment: fragment, bytes: min(bytes, operation.bytesMaximum))
    }

    init(_ operation: HostileOperation, template: String, fragment: HostileFragment, bytes: Int) {
        self.operation = operation
        self.template = template
        self.fragment = fragment
        let parts = template.split(separator: fragment.kind.hole, omittingEmptySubsequences: false)
        let filling = fragment.repeated(bytes: bytes / max(1, parts.count - 1))
        text = parts.joined(separator: filling)
    }

    var bytes: [UInt8] { Array(text.utf8) }

    var description: String { "\(operation): \(template) with \(fragment.open) in \(bytes.count) bytes" }
}

/// A repeated fragment, and where it is valid.
struct HostileFragment {
    enum Kind {
        /// Inside a text.
        case text
        /// Members of an object.
        case members
        /// Elements of a list.
        case elements
        /// A value around another.
        case nesting
        /// Items of a form or a query.
        case items

        var hole: Character {
            switch self {
            case .text: "@"
            case .members: "#"
            case .elements: "~"
            case .nesting: "^"
            case .items: "|"
            }
        }
    }

    let kind: Kind
    /// A `$` followed by `n` is the number of the repetition.
    let open: String
    var core = ""
    var close = ""

    func fits(_ template: String) -> Bool { template.contains(kind.hole) }

    /// Repeated until it fills this many bytes, at least once.
    func repeated(bytes: Int) -> String {
        let separator = kind == .members || kind == .elements ? "," : kind == .items ? "&" : ""
        let count = max(1, bytes / (open.utf8.count + close.utf8.count + separator.utf8.count))
        let isNumbered = open.contains("$n")
        let opened = (0..<count).map { isNumbered ? HostileFragment.numbered(open, number: $0) : open }
        return opened.joined(separator: separator) + core + String(repeating: close, count: count)
    }

    private static func numbered(_ text: String, number: Int) -> String {
        let parts = text.split(separator: "$n", omittingEmptySubsequences: false)
        return parts.joined(separator: "\(number)")
    }

    static let all: [HostileFragment] =
        texts.map { HostileFragment(kind: .text, open: $0) }
        + [#""$n":1"#, #""a$n":"x""#, #""a$n":{"b":1}"#, #""same":1"#, #""a$n.b":[1]"#, #""titl$n":"x""#].map {
            HostileFragment(kind: .members, open: $0)
        }
        + ["0", "{}", "[]", #""""#, #""u$n""#, #"{"topic":"t$n"}"#, #"{"all":true}"#, #""AAAAAAAAAAA""#, "null"].map {
            HostileFragment(kind: .elements, open: $0)
        }
        + [
            HostileFragment(kind: .nesting, open: "[", core: "1", close: "]"),
            HostileFragment(kind: .nesting, open: #"{"a":"#, core: "1", close: "}"),
            HostileFragment(kind: .nesting, open: #"{"not":"#, core: #"{"all":true}"#, close: "}"),
            HostileFragment(kind: .nesting, open: #"{"any":["#, core: #"{"topic":"t"}"#, close: "]}"),
        ]
        + ["a$n=1", "same=1", "=", "a", "%41$n=%42", "badge=1", "before=x", "dry_run=true"].map {
            HostileFragment(kind: .items, open: $0)
        }

    private static let texts = [
        "a", "A", "1", "-", ".", " ", "_", ":", "/", "%", "+", ";", ",", "${", "$", "${var.x}", "${data.", "}", "é",
        // Combining marks that normalization reorders, plain and as escapes of JSON and of URLs.
        "\u{301}\u{323}", "e\u{323}\u{301}", #"\u0301\u0323"#, "%CC%81%CC%A3", #"\ud83d\ude00"#, #"\n"#, #"\""#, #"\\"#,
        // Clusters of scalars, jamo, regional indicators, joined emoji, and right-to-left text.
        "\u{1100}\u{1161}", "\u{1F1E6}", "\u{1F468}\u{200D}", "\u{200D}", "\u{5D0}\u{5B0}", "\u{FDFA}", "\u{1D160}",
    ]
}
