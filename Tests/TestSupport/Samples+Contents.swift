package import PushModel
package import TaskModel

extension Samples {
    /// A message with this body.
    package static func content(
        _ body: String, platforms: Set<Platform> = Set(Platform.allCases), countsBadge: Bool = false
    ) -> TaskContent {
        var content = TaskContent()
        var message = PushMessage()
        message.body = LocalizedText(body)
        if countsBadge { message.badge = .increment }
        content.message = message
        content.platforms = platforms
        return content
    }
}
