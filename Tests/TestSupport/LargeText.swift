/// A large argument of a parameterized test. The test's log contains its name instead of its text.
package struct LargeText: Sendable, CustomStringConvertible {
    package let description: String
    package let text: String

    package init(_ name: String, text: String) {
        description = name
        self.text = text
    }
}
