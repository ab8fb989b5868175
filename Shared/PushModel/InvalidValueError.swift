/// A text from outside that is no value of the type asked for; the description completes "NAME …" for people.
package struct InvalidValueError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
