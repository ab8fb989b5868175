import Testing

@testable import ServiceKit

@Suite struct MemoryLimitTests {
    @Test func looksIntoEachGroupAroundTheProcess() {
        #expect(
            MemoryLimit.paths(cgroups: "0::/a/b\n") == [
                "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/a/b/memory.max",
            ])
        #expect(
            MemoryLimit.paths(cgroups: "7:cpu:/x\n5:memory,hugetlb:/c\n") == [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/c/memory.limit_in_bytes",
            ])
    }

    @Test(arguments: [("268435456\n", 268_435_456), ("max\n", nil), ("9223372036854771712\n", nil), ("", nil)])
    func readsALimit(text: String, expected: Int?) {
        #expect(MemoryLimit.limit(text) == expected)
    }

    @Test func thereIsALimit() {
        #expect(MemoryLimit.bytes() > 16 << 20)
    }
}
