/// A value that all pushes of one content share. They come together, so only that of the last content is kept.
package struct PerContent<Value> {
    private var last: (content: PushContent, value: Value)?

    package init() {}

    package mutating func value(of content: PushContent, make: (PushContent) -> Value) -> Value {
        if let last, last.content === content { return last.value }
        let value = make(content)
        last = (content, value)
        return value
    }
}
