package import TaskModel

/// The texts of a message in all its languages, with variables filled in, for readers that choose the language
/// themselves.
package struct RenderedTexts: Sendable {
    package let title: LocalizedText?
    package let body: LocalizedText?

    /// `variables` are those of the message's task; `path` is the field that the message was read from.
    package init(
        _ message: PushMessage, path: String = "message", variables: [String: String]
    ) throws(RenderingError) {
        let template = TextTemplate(variables: variables, data: message.data)
        title = try message.title?.filledInAll(template: template, path: "\(path).title")
        body = try message.body?.filledInAll(template: template, path: "\(path).body")
    }
}

extension LocalizedText {
    fileprivate func filledInAll(template: TextTemplate, path: String) throws(RenderingError) -> LocalizedText {
        var filled: [String: String] = [:]
        for language in translations.keys {
            filled[language] = try self.filled(language, template: template, path: path)
        }
        return LocalizedText(try self.filled(nil, template: template, path: path), translations: filled)
    }
}
