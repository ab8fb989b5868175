import Bus

/// Assigns the partitions of a group. Every member computes the same result without communication, all get equally
/// many, and few partitions move when a member joins or leaves.
enum RedisShare {
    static func partitions(of member: String, among members: [String], count: Int) -> Set<Int32> {
        let members = Array(Set(members)).sorted()
        guard !members.isEmpty else { return [] }
        let (fewest, larger) = count.quotientAndRemainder(dividingBy: members.count)
        var loads: [String: Int] = [:]
        var largerLeft = larger
        var share: Set<Int32> = []
        for partition in 0..<Int32(count) {
            // The highest-ranked member for this partition among those that may still take one.
            let candidates = members.filter { loads[$0, default: 0] < fewest + (largerLeft > 0 ? 1 : 0) }
            guard let owner = candidates.max(by: { rank($0, partition: partition) < rank($1, partition: partition) })
            else { continue }
            loads[owner, default: 0] += 1
            if loads[owner] == fewest + 1 { largerLeft -= 1 }
            if owner == member { share.insert(partition) }
        }
        return share
    }

    private static func rank(_ member: String, partition: Int32) -> UInt32 {
        Partitioner.murmur2(Array("\(partition) of \(member)".utf8))
    }
}
