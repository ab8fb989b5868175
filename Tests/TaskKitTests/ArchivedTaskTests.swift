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

    private func keep(_ content: [UInt8]) throws {
        let entry = try TaskEntry(
            app: AppID("news"), begins: Timestamp(milliseconds: 5), deadline: Timestamp(milliseconds: 6))
        archive.keep(content, of: id, entry: entry)
    }
}
