/// Requests about Live Activities.
enum ActivitySamples {
    static let token = String(repeating: "ab", count: 40)

    /// A valid start with these fields besides.
    static func start(_ fields: String) -> String {
        #"{"type":"Order","content_state":{"step":1},"alert":{"title":"Order"},\#(fields)}"#
    }
}
