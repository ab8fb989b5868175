import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// How far an import has come. Recorded after each page, so that the next run continues after it.
struct ImportState: Equatable, Sendable {
    private static let version = 1

    /// Address and database of the source: another source is imported from its beginning.
    let source: String
    /// The last subscriber of the pages that are done; nil before the first.
    var last: [UInt8]?
    var isComplete = false
    var summary = ImportSummary()

    init(source: String) {
        self.source = source
    }

    var encoded: [UInt8] {
        Array(
            JSONText.object { json in
                json.member("version", ImportState.version)
                json.member("source", source)
                // The bytes of an id need not be a text.
                if let last { json.member("last", Base64URL.encode(last)) }
                json.member("complete", isComplete)
                json.member("summary") { summary.write(to: &$0) }
            }.utf8)
    }

    /// Nil for the state of another version of the program.
    init?(_ encoded: [UInt8]) {
        guard let json = try? JSON(encoded), json.count("version") == ImportState.version,
            let source = json["source"]?.text, case .bool(let isComplete)? = json["complete"],
            let summary = json["summary"].flatMap(ImportSummary.init)
        else { return nil }
        self.source = source
        self.isComplete = isComplete
        self.summary = summary
        guard let text = json["last"]?.text else { return }
        guard let last = Base64URL.decode(text) else { return nil }
        self.last = last
    }
}
