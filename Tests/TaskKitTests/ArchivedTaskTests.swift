import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Testing
import Topics

@Suite struct ArchivedTaskTests {
    private let archive = MemoryTaskArchive()
    private let id = TaskID(high: 7, low: 1)

    @Test func whatWasAcceptedIsReadBack() async throws {
        #expect(try await archive.task(id) == nil)
        let task = try PushTask(id: id, app: AppID("news"), created: Timestamp(milliseconds: 5))
        try keep(TaskMessage.task(task).encoded())
        #expect(try await archive.task(id) == task)
    }

    @Test func whatIsNotTheTaskIsCorrupt() async throws {
        let other = try PushTask(id: TaskID(high: 7, low: 2), app: AppID("news"), created: Timestamp(milliseconds: 5))
        let part = TaskMessage.part(TaskPart(task: id, number: 0, entries: []))
        for bytes in [[], Array("{}".utf8), TaskMessage.task(other).encoded(), part.encoded()] {
            #expect(throws: StoreError.self) { try PushTask(archived: bytes, of: id) }
        }
        try keep(part.encoded())
        let error = await #expect(throws: StoreError.self) { try await archive.task(id) }
        #expect(error?.code == .corrupt)
    }

    @Test func aPartIsReadBack() async throws {
        let plain = TaskPart(task: id, number: 0, entries: [])
        var content = TaskContent()
        content.platforms = [.ios]
        let varied = TaskPart(task: id, number: 1, entries: [], contents: [content])
        for part in [plain, varied] {
            try await archive.keep(part, encoded: TaskMessage.part(part).encoded())
            let bytes = try #require(archive.part(part.number, of: id))
            #expect(try TaskPart(archived: bytes, of: id) == part)
            for other in [Array("{}".utf8), bytes.dropLast()] {
                #expect(throws: StoreError.self) { try TaskPart(archived: other, of: id) }
            }
            #expect(throws: StoreError.self) { try TaskPart(archived: bytes, of: TaskID(high: 7, low: 2)) }
        }
    }

    private func keep(_ content: [UInt8]) throws {
        let entry = try TaskEntry(
            app: AppID("news"), begins: Timestamp(milliseconds: 5), deadline: Timestamp(milliseconds: 6))
        archive.keep(content, of: id, entry: entry)
    }
}
