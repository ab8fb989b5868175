/// What a body is written in, as far as the dialects read it.
enum MediaType: Equatable {
    case form
    case json
    case other(String)

    /// Of a Content-Type header. Its parameters do not count: bodies are UTF-8, whatever they say of themselves.
    init(contentType: String) {
        let name = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch name {
        case "application/x-www-form-urlencoded": self = .form
        case "application/json": self = .json
        default: self = .other(name)
        }
    }
}
