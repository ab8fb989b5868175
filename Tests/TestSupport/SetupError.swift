/// A program that a test needs did not start; the description contains its output.
package struct SetupError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
