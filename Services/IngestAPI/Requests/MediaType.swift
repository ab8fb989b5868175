/// Media types of bodies that the dialects distinguish.
enum MediaType: Equatable {
    case form
    case json
    case other(String)

    /// Parses a Content-Type header. Its parameters are ignored: bodies are always read as UTF-8.
    init(contentType: String) {
        let name = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch name {
        case "application/x-www-form-urlencoded": self = .form
        case "application/json": self = .json
        default: self = .other(name)
        }
    }
}
