extension Collection {
    /// The elements in order, in slices of `size`; the last may be shorter.
    package func chunks(of size: Int) -> [SubSequence] {
        precondition(size > 0, "a chunk needs at least one element")
        var chunks: [SubSequence] = []
        var rest = self[...]
        while !rest.isEmpty {
            chunks.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return chunks
    }
}
