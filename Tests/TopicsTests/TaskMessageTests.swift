import JSONKit
import LocalTime
import PushModel
import ServiceKit
import TaskModel
import Testing
import Topics

@Suite struct TaskMessageTests {
    @Test func tasksAndPartsComeBackAsTheyWere() throws {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 5))
        task.target.list = .parts(count: 3, entries: 1_000)
        let part = TaskPart(
            task: task.id, number: 2,
            entries: [.alias(try Alias(.externalUser, value: "ü")), .device(TaskMessageTests.device)])
        for message in [TaskMessage.task(task), .part(part)] {
            #expect(try TaskMessage(decoding: message.encoded()) == message)
        }
    }

    @Test func theRulesOfATaskComeBackAsTheyWere() throws {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 5))
        #expect(!String(decoding: TaskMessage.task(task).encoded(), as: UTF8.self).contains("rules"))
        task.rules.localTime = LocalDateTime("2026-12-24T09:00")
        for policy in [DeliveryRules.QuietPolicy.delay, .skip] {
            task.rules.quietHours = QuietHours(start: 1_320, end: 420, timeZone: "Europe/Helsinki")
            task.rules.quietPolicy = policy
            task.rules.timeZone = "America/New_York"
            task.rules.rate = 500
            task.content.fallbackLanguage = "pt-BR"
            task.rules.appRate = 1_000_000
            task.rules.group = GroupRate(id: 1 << 40, perSecond: 5_000)
            #expect(!task.rules.areEmpty)
            #expect(try TaskMessage(decoding: TaskMessage.task(task).encoded()) == .task(task))
        }
        for policy in [DeliveryRules.CapPolicy.delay, .skip] {
            task.rules = DeliveryRules(accepted: task.created)
            task.rules.cap = PushCap(count: 5, period: .seconds(86_400))
            task.rules.capPolicy = policy
            #expect(try TaskMessage(decoding: TaskMessage.task(task).encoded()) == .task(task))
        }
    }

    @Test func recordsOfSchedulesComeBackAsTheyWere() throws {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 5))
        task.sendAt = Timestamp(milliseconds: 86_400_005)
        task.replaces = try ReplacementKey("order-4711", of: task.app)
        task.target.list = .parts(count: 3, entries: 1_000)
        task.target.audience = .topic(try TopicName("news"))
        let part = TaskPart(task: task.id, number: 2, entries: [.device(TaskMessageTests.device)])
        let records = [
            ScheduleRecord.task(task), .task(task.withdrawn), .part(part, begins: task.begins), .released,
        ]
        for record in records { #expect(try ScheduleRecord(decoding: record.encoded()) == record) }
        #expect(ScheduleRecord.released.encoded().isEmpty)
        #expect(task.withdrawn.isWithdrawn && task.withdrawn.target == TaskTarget())
        for text in ["{}", #"{"version":2}"#, #"{"version":1,"part":{}}"#, "[", #"{"version":1,"task":{"id":"x"}}"#] {
            #expect(throws: MalformedMessageError.self) { try ScheduleRecord(decoding: Array(text.utf8)) }
        }
    }

    /// Goal: the head of a part is read whatever its form, and says the same as the part. Method: the form that parts
    /// have, and the same JSON with blanks, another order and a zero in front of its number.
    @Test func theHeadOfAPartSaysWhichItIs() throws {
        for number in [0, 7, 624, 999_999] {
            let part = TaskPart(
                task: TaskID(high: 1, low: 2), number: number, entries: [.device(TaskMessageTests.device)])
            let bytes = TaskMessage.part(part).encoded()
            let text = String(decoding: bytes, as: UTF8.self)
            let entries = #""entries":[["d","\#(TaskMessageTests.device)"]]"#
            let other = text.replacing(",\(entries)", with: "").replacing("{", with: "{ \(entries), ")
            for form in [text, other, text.replacing(":", with: " : ")] {
                let head = try TaskPartHead(decoding: Array(form.utf8))
                #expect(head.task == part.task && head.number == number && head.encoded() == Array(form.utf8))
            }
            for count in 0..<bytes.count - entries.utf8.count - 1 {
                #expect(throws: MalformedMessageError.self) { try TaskPartHead(decoding: Array(bytes.prefix(count))) }
            }
        }
        let task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 5))
        let others = [
            TaskMessage.task(task).encoded(), Array(#"{"version":2,"task":"\#(task.id)","part":1,"entries":[]}"#.utf8),
            Array(#"{"version":1,"task":"\#(task.id)","part":01,"entries":[]}"#.utf8),
            Array(#"{"version":1,"task":"\#(task.id)","part":1000000,"entries":[]}"#.utf8),
        ]
        for bytes in others {
            #expect(throws: MalformedMessageError.self) { try TaskPartHead(decoding: bytes) }
        }
    }

    @Test func aFullPartFitsOnTheBus() throws {
        let longest = try Alias(.externalUser, value: String(repeating: "\"", count: Alias.bytesMaximum))
        let entries = [TargetEntry](repeating: .alias(longest), count: TargetList.entriesMaximum)
        let part = TaskMessage.part(TaskPart(task: TaskID(high: 1, low: 2), number: 0, entries: entries))
        #expect(part.encoded().count < Topics.messageBytesMaximum)
    }

    @Test func jobsComeBackAsTheyWere() throws {
        for job in try TaskMessageTests.jobs() {
            #expect(try SegmentJob(decoding: job.encoded()) == job)
        }
    }

    @Test func aJobIsFollowedByTheNextOfItsChain() throws {
        let jobs = try TaskMessageTests.jobs()
        let next = try #require(jobs[0].next)
        #expect(next.job == 19)
        #expect(next.work == .segments([SegmentNumber(rawValue: SegmentNumber.maximum)], stride: 16))
        #expect(next.next == nil)
        #expect(jobs[1].next == nil)
    }

    /// Goal: a part names the parts that follow it, and the last one is as in earlier versions.
    @Test func aPartIsFollowedByTheNextOfItsChain() throws {
        var job = try TaskMessageTests.jobs()[2]
        #expect(job.encoded()[0] == 2 && job.alone.encoded()[0] == 1)
        #expect(job.alone.work == .part(4) && job.alone.next == nil && job.alone.job == 9)
        for (number, part) in [(25, 20), (41, 36)] {
            job = try #require(job.next)
            #expect(try SegmentJob(decoding: job.encoded()) == job)
            guard case .part(part, _) = job.work else {
                Issue.record("not part \(part): \(job)")
                return
            }
            #expect(job.job == number)
        }
        #expect(job == job.alone && job.next == nil)
    }

    @Test func resultsComeBackAsTheyWere() throws {
        let results = DeliveryState.allCases.filter(\.isTerminal).map { state in
            DeviceResult(
                device: TaskMessageTests.device, provider: .huawei, state: state, attempt: 255, status: 65_535,
                reason: "\"ü\n")
        }
        let batch = ResultBatch(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), time: Timestamp(milliseconds: 5), results: results)
        #expect(try ResultBatch(decoding: batch.encoded()) == batch)
    }

    /// Each byte in turn is set to hostile values for lengths and kinds. A message that still decodes must encode.
    @Test func damagedMessagesNeverTrap() throws {
        for job in try TaskMessageTests.jobs().map({ $0.encoded() }) {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                for position in job.indices {
                    var damaged = job
                    damaged[position] = value
                    if let decoded = try? SegmentJob(decoding: damaged) { _ = decoded.next?.encoded() }
                }
            }
            for length in job.indices {
                #expect(throws: MalformedMessageError.self) { try SegmentJob(decoding: Array(job.prefix(length))) }
            }
        }
        for bytes in ["", "{", "{}", #"{"version":1,"part":-1}"#, #"{"version":1,"part":1,"task":"x","entries":[1]}"#] {
            #expect(throws: MalformedMessageError.self) { try TaskMessage(decoding: Array(bytes.utf8)) }
            #expect(throws: MalformedMessageError.self) { try ResultBatch(decoding: Array(bytes.utf8)) }
        }
    }

    private static let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)

    private static func jobs() throws -> [SegmentJob] {
        let task = TaskID(high: 1, low: 2)
        let segments = [3, SegmentNumber.maximum].map { SegmentNumber(rawValue: $0) }
        return [
            SegmentJob(task: task, app: try AppID("news"), lane: .bulk, job: 3, work: .segments(segments, stride: 16)),
            SegmentJob(task: task, app: try AppID("news"), lane: .fast, job: 9, work: .part(4)),
            SegmentJob(
                task: task, app: try AppID("news"), lane: .bulk, job: 9,
                work: .part(4, chain: SegmentJob.PartChain(stride: 16, count: 2))),
        ]
    }
}
