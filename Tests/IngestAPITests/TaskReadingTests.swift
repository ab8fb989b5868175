import Bus
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Reading a task while it runs and afterwards.
@Suite struct TaskReadingTests {
    private func post(_ fixture: IngestFixture, body: String = TaskCreationTests.small) async throws -> PushTask {
        let known = fixture.bus.tasks.count
        #expect(await fixture.json("POST", "/v1/tasks", json: body, as: .publisher).status == 201)
        return try #require(fixture.bus.tasks.dropFirst(known).first)
    }

    private func plan(_ fixture: IngestFixture, task: PushTask, jobs: Int = 1, isFast: Bool = true) async throws {
        _ = try fixture.ledger.plan(
            task.id,
            as: TaskPlan(app: task.app, jobs: jobs, isFast: isFast, deadline: task.deadline, policy: .atLeastOnce))
    }

    private func settle(
        _ fixture: IngestFixture, task: PushTask, offsets: [UInt16], state: DeliveryState,
        attempt: UInt8 = 0, status: UInt16 = 0, reason: String = "", due: Timestamp? = nil
    ) {
        let segment = SegmentID(task.app, number: SegmentNumber(rawValue: 0))
        let id = ClaimID(owner: 1, number: UInt64(offsets[0]))
        _ = fixture.ledger.claim(
            ClaimRequest(id: id, offsets: offsets, attempt: 0, lease: .seconds(60), countsBadge: false), of: task.id,
            in: segment)
        let group = Settlement.Group(
            offsets: offsets, state: state, attempt: attempt, status: status, reason: reason, due: due)
        _ = fixture.ledger.settle(Settlement(claim: id, groups: [group]), of: task.id, in: segment)
    }

    private func mark(_ fixture: IngestFixture, task: PushTask, offsets: [UInt16]) {
        _ = fixture.ledger.mark(
            SegmentSet(offsets), of: task.id, in: SegmentID(task.app, number: SegmentNumber(rawValue: 0)))
    }

    /// Another version may have stored it.
    @Test func aTaskThatCannotBeReadHidesNoOther() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try await fixture.archive.keep(
                Array("{}".utf8), of: TaskID(high: 9, low: 9),
                entry: TaskEntry(app: task.app, begins: task.created + .seconds(1), deadline: task.deadline))
            let list = await fixture.json("GET", "/v1/tasks", as: .publisher)
            #expect(list.status == 200)
            #expect(list.json["tasks"]?.elements?.map { $0["id"] } == [.string("\(task.id)")])
        }
    }

    /// Goal: the report of a closed task, restored by a rebuild, can be read as before. Method: nothing else of the
    /// task exists, or only its content, which remains where its request may be repeated.
    @Test(arguments: [false, true]) func aTaskOfWhichTheReportIsLeftIsRead(isContentLeft: Bool) async throws {
        try await IngestFixture.run { fixture in
            let created = fixture.time.now
            let task = isContentLeft ? try await post(fixture).id : TaskID(high: 9, low: 9)
            let report = TaskReport(
                task: task, app: try AppID("news"), dialect: .native, created: created,
                closed: created + .seconds(5), isCancelled: false, lane: .fast, unmatched: 2,
                count: { $0 == .delivered ? 3 : 0 })
            _ = try await fixture.archive.fix(report: report.encoded(), of: task)
            let read = await fixture.json("GET", "/v1/tasks/\(task)/report", as: .publisher)
            #expect(read.status == 200 && read.json["counts"]?["delivered"] == .integer(3))
            let status = await fixture.json("GET", "/v1/tasks/\(task)", as: .publisher)
            #expect(status.status == 200 && status.json["state"] == .string("closed"))
            #expect(status.json["created"] == .string("\(created)"))
            #expect(status.json["counts"]?["targeted"] == .integer(3))
            #expect(read.json["unmatched"] == .integer(2) && status.json["unmatched"] == .integer(2))
            let device = DeviceID(index: DeviceIndex(segment: SegmentNumber(rawValue: 0), offset: 1), tag: 1)
            #expect(await fixture.json("GET", "/v1/tasks/\(task)/devices/\(device)", as: .publisher).status == 404)
        }
    }

    /// A task from its acceptance to its closing.
    @Test func theStatusFollowsTheLedger() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            let path = "/v1/tasks/\(task.id)"
            let accepted = await fixture.json("GET", path, as: .publisher)
            #expect(accepted.status == 200)
            #expect(accepted.json["state"] == .string("accepted"))
            #expect(accepted.json["lane"] == .null)
            #expect(accepted.json["counts"]?["targeted"] == .integer(0))
            #expect(accepted.json["unmatched"] == .integer(0))
            #expect(accepted.json["deadline"] == .string("\(task.deadline)"))

            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [1, 2, 3])
            settle(fixture, task: task, offsets: [1], state: .delivered)
            settle(fixture, task: task, offsets: [2], state: .invalidRemoved)
            let sending = await fixture.json("GET", path, as: .publisher).json
            #expect(sending["state"] == .string("sending"))
            #expect(sending["lane"] == .string("fast"))
            #expect(sending["jobs"]?["resolved"] == .integer(0))
            #expect(sending["jobs"]?["total"] == .integer(1))
            #expect(sending["counts"]?["open"] == .integer(1))
            #expect(sending["counts"]?["delivered"] == .integer(1))
            #expect(sending["counts"]?["invalid_removed"] == .integer(1))
            #expect(sending["closed"] == .null)

            settle(fixture, task: task, offsets: [3], state: .failed)
            try fixture.ledger.resolve(job: 0, unmatched: 4, of: task.id)
            _ = fixture.ledger.close([SegmentID(task.app, number: SegmentNumber(rawValue: 0))], of: task.id)
            let closed = await fixture.json("GET", path, as: .publisher).json
            #expect(closed["state"] == .string("closed"))
            #expect(closed["closed"] == .string("\(fixture.time.now)"))
            #expect(closed["counts"]?["targeted"] == .integer(3) && closed["unmatched"] == .integer(4))
        }
    }

    /// What devices wait for, and until when, in the task's status and in the trace of a device.
    @Test func whatDevicesWaitForIsShown() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            let path = "/v1/tasks/\(task.id)"
            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [1, 2, 3, 4])
            settle(fixture, task: task, offsets: [1], state: .waiting, attempt: 1)
            let none = await fixture.json("GET", path, as: .publisher).json["waiting"]
            #expect(none?["retry"] == .integer(1) && none?["quiet_hours"] == nil)

            let (soon, late) = (fixture.time.now + .seconds(60), fixture.time.now + .seconds(3_600))
            let segment = SegmentID(task.app, number: SegmentNumber(rawValue: 0))
            let groups = [
                Deferral(offsets: [2], cause: .quietHours, due: late),
                Deferral(offsets: [3], cause: .quietHours, due: soon), Deferral(offsets: [4], cause: .rate, due: soon),
            ]
            #expect(fixture.ledger.defer(groups, of: task.id, in: segment).count == 3)
            let status = await fixture.json("GET", path, as: .publisher).json
            #expect(status["counts"]?["open"] == .integer(4) && status["counts"]?["targeted"] == .integer(4))
            #expect(status["waiting"]?["retry"] == .integer(1))
            #expect(status["waiting"]?["quiet_hours"]?["devices"] == .integer(2))
            #expect(status["waiting"]?["quiet_hours"]?["next"] == .string("\(soon)"))
            #expect(status["waiting"]?["rate"]?["devices"] == .integer(1))
            #expect(status["waiting"]?["cap"] == nil)

            let id = DeviceID(index: DeviceIndex(segment: SegmentNumber(rawValue: 0), offset: 2), tag: 9)
            let trace = await fixture.json("GET", "\(path)/devices/\(id)", as: .publisher).json
            #expect(trace["state"] == .string("deferred") && trace["reason"] == .string("quiet_hours"))
            #expect(trace["next_attempt"] == .string("\(late)"))
            #expect(trace["why"] == .string("Deferred until \(late) (quiet_hours)."))
        }
    }

    @Test(arguments: ["00f5c216-ee53-4e29-af13-f109d5563a9e", "x", "%E2%82%AC"])
    func whatIsNoTaskIsUnknown(id: String) async throws {
        try await IngestFixture.run { fixture in
            for path in ["", "/report", "/devices/J8lHY4X1XkU"] {
                let response = await fixture.json("GET", "/v1/tasks/\(id)\(path)", as: .publisher)
                #expect(response.status == 404)
                #expect(response.json["type"] == .string("urn:carillon:unknown-task"))
            }
            #expect(await fixture.json("POST", "/v1/tasks/\(id)/cancel", as: .publisher).status == 404)
        }
    }

    @Test func theListHasPages() async throws {
        try await IngestFixture.run { fixture in
            var posted: [String] = []
            for _ in 0..<5 {
                posted.insert("\(try await post(fixture).id)", at: 0)
                fixture.time.advance(by: .milliseconds(1))
            }
            var read: [String] = []
            var query = "?limit=2"
            for _ in 0..<3 {
                let page = await fixture.json("GET", "/v1/tasks\(query)", as: .publisher).json
                read += (page["tasks"]?.elements ?? []).compactMap { $0["id"]?.text }
                guard let next = page["next"]?.text else { break }
                query = "?limit=2&before=\(next)"
            }
            #expect(read == posted)
            for query in ["?limit=0", "?limit=101", "?limit=x", "?before=x", "?before="] {
                let response = await fixture.json("GET", "/v1/tasks\(query)", as: .publisher)
                #expect(response.status == 400, "\(query)")
            }
        }
    }

    @Test func theReportIsThereOnceItIsFixed() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            let early = await fixture.json("GET", "/v1/tasks/\(task.id)/report", as: .publisher)
            #expect(early.status == 404)
            #expect(early.json["type"] == .string("urn:carillon:task-not-closed"))
            _ = try await fixture.archive.fix(report: Array(#"{"delivered":7}"#.utf8), of: task.id)
            let report = await fixture.json("GET", "/v1/tasks/\(task.id)/report", as: .publisher)
            #expect(report.status == 200)
            #expect(report.text == #"{"delivered":7}"#)
        }
    }

    @Test func aDeviceIsTraced() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            func trace(_ offset: UInt16) async -> RawClient.Response {
                let index = DeviceIndex(segment: SegmentNumber(rawValue: 0), offset: offset)
                let id = DeviceID(index: index, tag: 9)
                return await fixture.json("GET", "/v1/tasks/\(task.id)/devices/\(id)", as: .publisher)
            }
            let early = await trace(1)
            #expect(early.status == 200)
            #expect(early.json["state"] == .string("not_targeted"))
            #expect(early.json["why"]?.text?.contains("still being resolved") == true)

            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [1, 2, 3, 6, 7])
            settle(fixture, task: task, offsets: [1], state: .invalidRemoved, status: 410, reason: "Unregistered")
            let due = fixture.time.now + .seconds(14)
            settle(
                fixture, task: task, offsets: [6], state: .waiting, attempt: 1, status: 503,
                reason: "ServiceUnavailable", due: due)
            settle(fixture, task: task, offsets: [7], state: .unknown, status: 502)
            settle(fixture, task: task, offsets: [2], state: .delivered, status: 200)
            try fixture.ledger.resolve(job: 0, of: task.id)
            let gone = await trace(1).json
            #expect(gone["state"] == .string("invalid_removed"))
            #expect(gone["status"] == .integer(410))
            #expect(gone["reason"] == .string("Unregistered"))
            #expect(gone["attempt"] == .integer(0))
            #expect(gone["time"] == .string("\(fixture.time.now)"))
            #expect(
                gone["why"] == .string("The provider reported the device as gone (Unregistered); it was unregistered.")
            )
            #expect(gone["next_attempt"] == .null)
            let waiting = await trace(6).json
            #expect(waiting["next_attempt"] == .string("\(due)"))
            #expect(
                waiting["why"]
                    == .string("The push could not be sent (ServiceUnavailable) and is retried at \(due) or later."))
            #expect(await trace(7).json["why"]?.text?.contains("the provider's answer does not say") == true)
            #expect(await trace(2).json["state"] == .string("delivered"))
            let open = await trace(3).json
            #expect(open["state"] == .string("targeted"))
            #expect(open["time"] == .null)
            #expect(await trace(4).json["why"]?.text?.hasPrefix("The task does not target this device") == true)
            let none = await fixture.json("GET", "/v1/tasks/\(task.id)/devices/x", as: .publisher)
            #expect(none.status == 404)
            #expect(none.json["type"] == .string("urn:carillon:unknown-device"))
        }
    }

    /// What is left of a closed task does not say when its life began: it was between acceptance and closing.
    @Test(arguments: [(0, 0, 1), (3, 3, 4), (90, 31, 32), (nil, 31, 32)])
    func receiptsOfAClosedTaskAreFound(waited: Int?, before: UInt16, count: Int) throws {
        let day = Duration.seconds(86_400)
        let closed = ReceiptProof.begin(of: 20_000)
        let report = TaskReport(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), dialect: .native,
            created: waited.map { closed + day * -$0 }, closed: closed, isCancelled: false, lane: .fast,
            count: { _ in 0 })
        let days = KnownTask.reported(report).days(at: closed)
        #expect(days == 20_000 - before...20_000 && days.count == count)
        #expect(KnownTask.reported(report).days(at: closed + day * 40) == 20_000...20_000)
    }

    /// Goal: a fast-lane task reads the same when only its trace is left. Method: read while its ledger exists, and
    /// after the ledger is removed.
    @Test func aClosedTaskIsReadFromItsTrace() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [1, 2])
            settle(fixture, task: task, offsets: [1], state: .invalidRemoved, status: 410, reason: "Unregistered")
            settle(fixture, task: task, offsets: [2], state: .delivered, status: 200)
            try fixture.ledger.resolve(job: 0, unmatched: 5, of: task.id)
            let segment = SegmentID(task.app, number: SegmentNumber(rawValue: 0))
            let progress = try #require(fixture.ledger.close([segment], of: task.id))
            let closed = try #require(progress.closed)
            let report = TaskReport(
                task: task.id, app: task.app, dialect: .native, created: task.created, closed: closed,
                isCancelled: false, lane: .fast, reasons: progress.reasons, unmatched: 5,
                count: { [.invalidRemoved, .delivered].contains($0) ? 1 : 0 })
            _ = try await fixture.archive.fix(report: report.encoded(), of: task.id)
            let outcomes = try #require(fixture.ledger.outcomes(of: task.id))
            let trace = TaskTrace(
                outcomes, dialect: "native", created: task.created, closed: closed, isCancelled: false,
                unmatched: 5)
            fixture.traces.keep(trace, of: task.id, for: TaskTraceBounds.retention)
            let reader = DeviceID(index: DeviceIndex(segment: segment.number, offset: 2), tag: 9)
            _ = fixture.receipts.count(
                [ReceiptMark(.opened, of: reader, on: .ios), ReceiptMark(.action, of: reader, on: .ios)],
                of: ReceiptTask(task.id, of: task.app, day: ReceiptProof.day(of: task.created), places: []))

            let devices = (UInt16(1)...3).map { offset in
                let index = DeviceIndex(segment: segment.number, offset: offset)
                return "/devices/\(DeviceID(index: index, tag: 9))"
            }
            let paths = (["", "/report"] + devices).map { "/v1/tasks/\(task.id)\($0)" } + ["/v1/tasks"]
            func read() async -> [RawClient.Response] {
                var read: [RawClient.Response] = []
                for path in paths { read.append(await fixture.json("GET", path, as: .publisher)) }
                return read
            }
            let before = await read()
            #expect(before.allSatisfy { $0.status == 200 })
            #expect(before.prefix(2).allSatisfy { $0.json["unmatched"] == .integer(5) })
            #expect(before[0].text.contains(#""receipts":{"delivered":0,"opened":1,"dismissed":0,"actions":1}"#))
            fixture.ledger.release(task.id)
            fixture.time.advance(by: TaskPlan.retention(isFast: true))
            #expect(fixture.ledger.progress(of: task.id) == nil)
            // While its endpoint accepts no report, the content of a task outlives its ledger.
            #expect(await read().map(\.text) == before.map(\.text))
            try await fixture.archive.forget(task.id, after: .zero)
            #expect(await read().map(\.text) == before.map(\.text))
            let cancelled = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher)
            #expect(cancelled.status == 202)
            #expect(cancelled.json["cancelled"] == .bool(false))
            let stranger = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .shop)
            #expect(stranger.status == 404)
        }
    }

    /// Goal: open devices end immediately and get a result, and the task is due in the agenda.
    @Test func cancellingEndsWhatIsOpen() async throws {
        try await IngestFixture.run { fixture in
            let first = try #require(DeviceID(try await fixture.subscriber()))
            let task = try await post(fixture)
            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [first.index.offset, 7])
            settle(fixture, task: task, offsets: [7], state: .delivered)
            fixture.agenda.enter(task.id, due: fixture.time.now + .seconds(1_000))
            let response = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher)
            #expect(response.status == 202)
            #expect(response.json["cancelled"] == .bool(true))
            #expect(response.json["counts"]?["cancelled"] == .integer(1))
            #expect(response.json["counts"]?["delivered"] == .integer(1))
            let reported = try fixture.bus.sent.filter { $0.channel == Topics.results.channel }.map {
                try ResultBatch(decoding: $0.value)
            }
            #expect(reported.flatMap(\.results).map(\.device) == [first])
            #expect(reported.flatMap(\.results).map(\.state) == [.cancelled])
            #expect(fixture.agenda.take(upTo: 10, for: .seconds(1)) == [task.id])
            #expect(await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher).status == 202)
        }
    }

    /// A caller that may publish but not read learns that the cancel succeeded, but not the device counts.
    @Test func cancellingTellsCountsToReadersAlone() async throws {
        try await IngestFixture.run { fixture in
            let created = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .poster)
            #expect(created.status == 201)
            let task = try #require(fixture.bus.tasks.first)
            try await plan(fixture, task: task)
            mark(fixture, task: task, offsets: [1, 2, 3])
            for _ in 0..<2 {
                let response = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .poster)
                #expect(response.status == 202)
                #expect(response.json == (try JSON(#"{"id":"\#(task.id)","state":"sending"}"#)))
            }
            let read = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .owner)
            #expect(read.json["counts"]?["cancelled"] == .integer(3))
        }
    }

    /// Goal: no cancel is lost with the older ledger that a rebuild removes. Method: a registry that a rebuild fills.
    @Test func nothingIsCancelledDuringARebuild() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            fixture.isRegistryReady.withLock { $0 = false }
            #expect(await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher).status == 503)
            #expect(!fixture.ledger.isCancelled(task.id))
            fixture.isRegistryReady.withLock { $0 = true }
            #expect(await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher).status == 202)
            #expect(fixture.ledger.isCancelled(task.id))
        }
    }

    /// Devices marked after the cancel end as cancelled.
    @Test func aTaskIsCancelledBeforeItsDevicesAreKnown() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            let response = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher)
            #expect(response.status == 202)
            #expect(response.json["state"] == .string("accepted"))
            #expect(response.json["cancelled"] == .bool(true))
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher).json
            #expect(status["state"] == .string("accepted") && status["cancelled"] == .bool(true))
            let listed = await fixture.json("GET", "/v1/tasks", as: .publisher).json["tasks"]?.elements?.first
            #expect(listed?["cancelled"] == .bool(true))
            try await plan(fixture, task: task)
            let segment = SegmentID(task.app, number: SegmentNumber(rawValue: 5))
            #expect(fixture.ledger.mark(SegmentSet([1]), of: task.id, in: segment) == .cancelled)
            #expect(await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher).json["cancelled"] == .bool(true))
        }
    }

    @Test func aTaskThatCannotBePlannedHasFailed() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try await fixture.archive.giveUp(task.id, reason: "it cannot be read")
            let failed = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher).json
            #expect(failed["state"] == .string("failed"))
            #expect(failed["problem"] == .string("it cannot be read"))
            // The task is replayed from dead letters.
            try await plan(fixture, task: task)
            let sending = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher).json
            #expect(sending["state"] == .string("sending"))
            #expect(sending["problem"] == .null)
        }
    }

    @Test func theTasksOfOthersTakeTheirOwnScope() async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .owner).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            let refused = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher)
            #expect(refused.status == 403)
            #expect(refused.detail == "The key has no scope admin for this app.")
            let other = try await post(fixture)
            #expect(await fixture.json("POST", "/v1/tasks/\(other.id)/cancel", as: .owner).status == 202)
        }
    }

    @Test(arguments: [
        (#""audience":{"topic":"news"}"#, 2), (#""audience":{"all":true}"#, 3),
        (#""audience":{"topic":"news"},"platforms":["android"]"#, 1), (#""users":["ada"]"#, 2),
        (#""users":["ada"],"audience":{"topic":"news"}"#, 3), (#""users":["ada"],"platforms":["ios"]"#, 1),
        (#""devices":["FIRST","J8lHY4X1XkU"]"#, 1), (#""users":["nobody"]"#, 0),
    ])
    func aDryRunCounts(target: String, expected: Int) async throws {
        try await IngestFixture.run { fixture in
            let first = try await fixture.subscriber()
            let second = await fixture.form(
                "POST", "/subscribers", form: "proto=fcm&token=\(SampleTokens.fcm)&external_user_id=ada")
            let third = await fixture.form(
                "POST", "/subscribers",
                form: "proto=apns&token=\(String(repeating: "0", count: 64))&external_user_id=ada")
            #expect(third.status == 201)
            for id in [first, second.json["id"]?.text ?? ""] {
                #expect(await fixture.form("POST", "/subscriber/\(id)/subscriptions/news").status == 201)
            }
            let body = #"{\#(target.replacing("FIRST", with: first)),"message":{"body":"x"}}"#
            let response = await fixture.json("POST", "/v1/tasks?dry_run=true", json: body, as: .owner)
            #expect(response.status == 200, "\(response.text)")
            #expect(response.text == #"{"devices":\#(expected)}"#)
            #expect(fixture.bus.sent.isEmpty)
            #expect(try await fixture.listed().isEmpty)
        }
    }
}
