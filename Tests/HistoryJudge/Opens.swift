/// The devices that reported a push of a task as opened.
package struct Opens: Sendable {
    package var reported: Set<Int> = []
    /// Those whose report was answered.
    package var accepted: Set<Int> = []

    package init() {}
}
