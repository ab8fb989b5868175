import TaskModel

/// The texts of a message in one language, with variables filled in.
struct MessageTexts: Sendable {
    let title: String?
    let subtitle: String?
    let body: String?

    init(_ message: PlatformMessage, language: String?, template: TextTemplate) throws(RenderingError) {
        let (content, path) = (message.content, message.path)
        title = try content.title?.shown(language, template: template, path: "\(path).title")
        subtitle = try content.subtitle?.shown(language, template: template, path: "\(path).subtitle")
        body = try content.body?.shown(language, template: template, path: "\(path).body")
    }

    /// True if there is nothing to show: a message may have texts in some languages only.
    var areEmpty: Bool { title == nil && subtitle == nil && body == nil }
}

extension PushMessage {
    var hasTexts: Bool { title != nil || subtitle != nil || body != nil }

    /// Languages with at least one translation.
    var languages: Set<String> {
        [title, subtitle, body].reduce(into: []) { $0.formUnion($1.map { Array($0.translations.keys) } ?? []) }
    }
}

extension LocalizedText {
    /// Nil for a language without a text: its translation, or the standard text of translated ones, is empty.
    fileprivate func shown(
        _ language: String?, template: TextTemplate, path: String
    ) throws(RenderingError) -> String? {
        let text = try filled(language, template: template, path: path)
        return text.isEmpty && !translations.isEmpty ? nil : text
    }

    func filled(
        _ language: String?, template: TextTemplate, path: String
    ) throws(RenderingError) -> String {
        let text = text(for: language)
        let names = language.map { [$0, String($0.prefix { $0 != "-" })] } ?? []
        let name = names.first { translations[$0] != nil } ?? "default"
        return try template.filled(text, path: translations.isEmpty ? path : "\(path).\(name)")
    }
}
