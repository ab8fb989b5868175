import JSONKit
import PushModel
import TaskModel
import Testing
import Topics

@testable import IngestAPI

/// The lists of a request's tasks are cut into parts that fit into messages.
@Suite(.timeLimit(.minutes(5))) struct BatchPartsTests {
    private struct Cut {
        var parts: [TaskID: [TaskPart]] = [:]
        var lists: [TargetList] = []
        var calls = 0
    }

    private static let tasks = (1...16).map { TaskID(high: UInt64($0), low: 0) }

    private func cut(_ body: String, atOnce: Int = 3) throws -> Cut {
        let bytes = Array(body.utf8)
        let outline = try BatchReader.outline(of: bytes)
        let tasks = Array(Self.tasks.prefix(outline.taskIDCounts.count))
        let parts = BatchParts(bytes, outline: outline, tasks: tasks)
        var cut = Cut()
        while true {
            let some = try parts.next(atOnce)
            guard !some.isEmpty else { break }
            cut.calls += 1
            for part in some { cut.parts[part.task, default: []].append(part) }
        }
        cut.lists = parts.lists
        return cut
    }

    @Test func aShortListIsPartOfItsTask() throws {
        let cut = try cut(AppMetricaSamples.request())
        #expect(cut.parts.isEmpty)
        guard case .entries(let entries) = cut.lists[0] else {
            Issue.record("the list is in parts")
            return
        }
        #expect(entries.count == 8)
        #expect(try entries[0] == .alias(Alias(.appMetricaDevice, value: "123456789")))
        #expect(try entries[2] == .alias(Alias(.appleAdvertising, value: "8A690667-6204-4A6A-9B38-85DE01600000")))
        #expect(
            try entries[5]
                == .token(PushToken(.apns, text: "f6a79e9f844a24c5fbed5c58a4c71561c180f0123456789abcdef0123456789a")))
        #expect(try entries[6] == .token(PushToken(.huawei, text: "0866422030123456")))
    }

    @Test func aLongListIsCutInItsOrder() throws {
        let ids = (1...1_001).map(String.init)
        let cut = try cut(AppMetricaSamples.request(elements: [AppMetricaSamples.element("Text", ids: ids)]))
        let parts = try #require(cut.parts[Self.tasks[0]])
        #expect(parts.map(\.number) == [0, 1, 2])
        #expect(parts.map(\.entries.count) == [400, 400, 201])
        #expect(parts.allSatisfy { $0.contents.isEmpty && $0.choices.isEmpty })
        #expect(try parts.flatMap(\.entries) == ids.map { .alias(try Alias(.appMetricaDevice, value: $0)) })
        #expect(cut.lists == [.parts(count: 3, entries: 1_001)])
    }

    /// Each part has the contents of its entries, once for neighbours that share one.
    @Test func elementsBecomeContents() throws {
        let elements = (0..<1_000).map { AppMetricaSamples.element("Text \($0 / 4)", ids: ["\($0)"]) }
        let cut = try cut(AppMetricaSamples.request(elements: elements))
        let parts = try #require(cut.parts[Self.tasks[0]])
        #expect(cut.lists == [.parts(count: parts.count, entries: 1_000)])
        var number = 0
        for part in parts {
            #expect(TaskMessage.part(part).encoded().count <= TaskLimits.partBytesMaximum)
            #expect(part.contents.count <= part.entries.count / 4 + 2)
            #expect(part.choices.count == part.entries.count)
            for (entry, choice) in zip(part.entries, part.choices) {
                #expect(try entry == .alias(Alias(.appMetricaDevice, value: "\(number)")))
                let message = part.contents[choice].message(for: .android)
                #expect(message?.body == LocalizedText("Text \(number / 4)"))
                number += 1
            }
        }
        #expect(number == 1_000)
    }

    @Test func anIDOfSeveralElementsIsInSeveralTasks() throws {
        let elements = (1...3).map { AppMetricaSamples.element("Text \($0)", ids: ["1", "1", "\(10 + $0)"]) }
        let cut = try cut(AppMetricaSamples.request(elements: elements), atOnce: 1)
        func sent(_ task: Int) -> [String] {
            (cut.parts[Self.tasks[task]] ?? []).flatMap { part in
                zip(part.entries, part.choices).map { entry, choice in
                    guard case .alias(let alias) = entry else { return "" }
                    return "\(alias.value) \(part.contents[choice].message(for: .android)?.body?.standard ?? "")"
                }
            }
        }
        #expect(sent(0) == ["1 Text 1", "1 Text 1", "11 Text 1", "12 Text 2", "13 Text 3"])
        #expect(sent(1) == ["1 Text 2", "1 Text 2"])
        #expect(sent(2) == ["1 Text 3", "1 Text 3"])
    }

    /// A repeated request makes the same parts, byte for byte.
    @Test func theSameRequestIsCutInTheSameWay() throws {
        let elements = (0..<2_000).map { AppMetricaSamples.element("Text \($0 % 7)", ids: ["\($0 % 1_000)"]) }
        let body = AppMetricaSamples.request(elements: elements)
        let first = try cut(body, atOnce: 1)
        let second = try cut(body, atOnce: 64)
        #expect(first.parts == second.parts)
        #expect(first.lists == second.lists)
        #expect(first.calls > second.calls)
    }
}
