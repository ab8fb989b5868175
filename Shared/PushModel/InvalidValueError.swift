/// An external text is not a valid value of the type; the description completes "NAME …" for people.
package struct InvalidValueError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
