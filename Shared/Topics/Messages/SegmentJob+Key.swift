extension SegmentJob {
    /// Spreads the jobs of a task over the partitions.
    package var key: [UInt8] {
        switch work {
        case .segments(let segments, _): segments.first.map { Topics.key(task, segment: $0) } ?? Array("\(task)".utf8)
        case .part(let number, _): Array("\(task):part \(number)".utf8)
        }
    }
}
