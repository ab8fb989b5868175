/// Previews of a task, and how many more there would be.
package struct PayloadPreviews: Sendable {
    package internal(set) var all: [PayloadPreview] = []
    package internal(set) var omitted = 0
}
