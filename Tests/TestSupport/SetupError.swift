/// A program that a test needs did not come up; what it printed.
package struct SetupError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
