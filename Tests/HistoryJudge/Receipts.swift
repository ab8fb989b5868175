/// The devices that reported something about their push of a task.
package struct Receipts: Sendable {
    package var reported: Set<Int> = []
    /// Those whose report was answered.
    package var accepted: Set<Int> = []

    package init() {}
}
