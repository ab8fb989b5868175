import PushModel
import ServiceKit

/// The example of Richie's documentation, corrected to valid JSON.
enum RichieSample {
    /// Those that it has payloads for.
    static let platforms: Set<Platform> = [.ios, .android]

    static func body(app: String) -> String {
        """
        {
          "app_id": \(JSONText.quoted(app)),
          "topics": ["breaking-news", "sports", "culture"],
          "payloads": {
            "ios": {
              "aps": {
                "alert": {
                  "title": "Push Notification Title for iOS",
                  "body": "Push Notification Body Text for iOS",
                  "publisher-item-id": "100200"
                },
                "content-available": 1,
                "issue-guid": "2258b0e6-6748-46c2-8e67-0893c0542fbb",
                "issue-page": 10
              }
            },
            "android": {
              "data": {
                "title": "Push Notification Title for Android",
                "body": "Push Notification Body Text for Android",
                "external-browser-url": "https://example.com/news/article/1",
                "issue-guid": "2258b0e6-6748-46c2-8e67-0893c0542fbb",
                "issue-page": 10
              }
            }
          }
        }

        """
    }
}
