import Bus
import JSONKit
import MemoryStore
import PushModel
import Rendering
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

@Suite struct RenderHandlerTests {
    private static let bilingual = #"{"body":{"default":"Hello","fr":"Bonjour"},"badge":"increment"}"#

    @Test func eachSenderGetsItsDevicesWithTheirVariants() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(RenderHandlerTests.bilingual))
        let devices = try [
            Scene.device(.apns, number: 0), Scene.device(.fcm, number: 1, language: "fr-CA"),
            Scene.device(.apns, number: 2, language: "fr", isSandbox: true), Scene.device(.huawei, number: 3),
            Scene.device(.apns, number: 4, language: "de"),
        ]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices, silent: [4], attempt: 2)])
        let apple = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
        #expect(outputs.count == 2)
        #expect(apple.task == scene.id && apple.app == scene.app && apple.attempt == 2 && apple.lane == .bulk)
        #expect(apple.countsBadge && apple.repeatsUnknown)
        #expect(apple.deadline == (scene.time.now + .seconds(28 * 86_400)).milliseconds)
        let part = try #require(apple.segments.first)
        #expect(part.segment == Scene.segment)
        #expect(part.offsets == [0, 2, 4])
        #expect(part.tokens == [0, 2, 4].map { devices[$0].token.text })
        #expect(part.tags == [100, 102, 104])
        #expect(part.updated == [1_700_000_005, 1_700_000_005, 1_700_000_005])
        #expect(part.isSandbox == [false, true, false])
        let variants = part.variants.map { apple.variants[Int($0)] }
        #expect(variants.map(\.isSilent) == [false, false, true])
        #expect(variants.map(\.kind) == [.apns, .apns, .apns])
        let bodies = try variants.map {
            try JSON($0.payload.payload(token: "", badge: 5))["aps"]?["alert"]?["body"]?.text
        }
        #expect(bodies == ["Hello", "Bonjour", nil])
        let android = try #require(try outputs.dispatches(Topics.dispatchAndroid).first)
        #expect(android.segments[0].offsets == [1, 3])
        #expect(android.segments[0].variants.map { android.variants[Int($0)].kind } == [.fcm, .huawei])
        #expect(
            outputs.map(\.key) == [
                Topics.key(scene.id, segment: Scene.segment), Topics.key(scene.id, segment: Scene.segment),
            ])
    }

    /// The senders get the key of a task only with a payload that has room for a proof.
    @Test func theKeyForReceiptsTravelsWithThePayload() async throws {
        for (message, isProven) in [(#"{"body":"b"}"#, true), (#"{"body":"b","data":{"task_id":"x"}}"#, false)] {
            let scene = try Scene()
            var task = try scene.task(message)
            task.receiptKey = TaskReceiptKey(bytes: Array(1...16))
            scene.keep(task)
            let outputs = try await scene.run(
                scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])])
            let chunk = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
            #expect(chunk.receiptKey == (isProven ? task.receiptKey : nil))
            #expect(chunk.variants[0].payload.slots == (isProven ? [.proof] : []))
        }
    }

    @Test func theFastLaneStaysFast() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        task.options.ambiguity = .atMostOnce
        scene.keep(task)
        let outputs = try await scene.run(
            scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)], lane: .fast)])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchAPNs, lane: .fast).first)
        #expect(chunk.lane == .fast)
        #expect(!chunk.repeatsUnknown)
        #expect(!chunk.countsBadge)
    }

    /// Goal: thousands of chunks of one broadcast cost one read and one rendering per language. Method: the content is
    /// deleted after the first chunk.
    @Test func aTaskIsReadOnce() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(RenderHandlerTests.bilingual))
        let handler = scene.handler()
        let chunk = scene.chunk([try Scene.device(.apns, number: 0)])
        let first = try await scene.run(handler, chunks: [chunk])
        try await scene.archive.forget(scene.id, after: .zero)
        #expect(try await scene.run(handler, chunks: [chunk]).map(\.value) == first.map(\.value))
        #expect(scene.metrics.exposition().contains("carillon_renderer_read_tasks_total 1"))
    }

    /// The archive has no content: the chunk's own content is used, and cached for the next chunk.
    @Test func aTaskThatTheChunkBringsIsNotRead() async throws {
        let scene = try Scene()
        let content = TaskMessage.task(try scene.task(#"{"body":"b"}"#)).encoded()
        let handler = scene.handler()
        let device = try Scene.device(.apns, number: 0)
        let bringing = scene.chunk([device], lane: .fast, content: content)
        let first = try await scene.run(handler, chunks: [bringing])
        #expect(try first.dispatches(Topics.dispatchAPNs, lane: .fast).map(\.deviceCount) == [1])
        let next = try await scene.run(handler, chunks: [scene.chunk([device], lane: .fast, attempt: 1)])
        #expect(try next.dispatches(Topics.dispatchAPNs, lane: .fast).map(\.deviceCount) == [1])
        #expect(scene.metrics.exposition().contains("carillon_renderer_read_tasks_total 0"))
    }

    @Test func aChunkThatBringsAnotherTaskIsNotRendered() async throws {
        let scene = try Scene()
        let content = Array(#"{"version":1}"#.utf8)
        let chunk = scene.chunk([try Scene.device(.apns, number: 0)], lane: .fast, content: content)
        let error = await #expect(throws: StoreError.self) { try await scene.run(scene.handler(), chunks: [chunk]) }
        #expect(error?.code == .corrupt)
    }

    /// FCM counts a message's life from its receipt, so a cached life must not be out of date.
    @Test func whatWasRenderedLongAgoIsRenderedAnew() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        task.options.timeToLive = .seconds(100)
        scene.keep(task)
        let handler = scene.handler()
        func life() async throws -> String? {
            let outputs = try await scene.run(handler, chunks: [scene.chunk([try Scene.device(.fcm, number: 0)])])
            let variant = try #require(try outputs.dispatches(Topics.dispatchAndroid).first?.variants.first)
            return try JSON(variant.payload.payload(token: "", badge: 0))["message"]?["android"]?["ttl"]?.text
        }
        #expect(try await life() == "100s")
        scene.time.advance(by: .seconds(9))
        #expect(try await life() == "100s")
        scene.time.advance(by: .seconds(1))
        #expect(try await life() == "90s")
    }

    /// Goal: a payload's time to live, and the deadline, count from the devices' own time. Method: chunks of one task
    /// whose devices live from its creation, from noon and from the evening.
    @Test func theLifeOfDevicesBeginsWithTheirOwnTime() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        task.options.timeToLive = .seconds(3_600)
        scene.keep(task)
        let handler = scene.handler()
        let devices = [try Scene.device(.apns, number: 0), try Scene.device(.fcm, number: 1)]
        for hours in [0, 6, 12, 6] {
            let begins = hours == 0 ? nil : scene.time.now + .seconds(3_600 * hours)
            let timing = DeviceTiming(
                deferral: begins == nil ? nil : .quietHours, begins: begins?.milliseconds)
            let outputs = try await scene.run(handler, chunks: [scene.chunk(devices, timing: timing)])
            let end = scene.time.now + .seconds(3_600 * (hours + 1))
            let apple = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
            #expect(apple.timing == timing && apple.deadline == end.milliseconds)
            #expect(Int64(apple.variants[0].expiration) == end.milliseconds / 1_000)
            let google = try #require(try outputs.dispatches(Topics.dispatchAndroid).first)
            let payload = try JSON(google.variants[0].payload.payload(token: "t", badge: 0))
            #expect(payload["message"]?["android"]?["ttl"]?.text == "\(3_600 * (hours + 1))s")
        }
    }

    /// Goal: a sender learns how many pushes a device may get, and until when it may wait. Method: chunks of tasks that
    /// wait for a cap, that do not, and that have none.
    @Test(arguments: [DeliveryRules.CapPolicy.delay, .skip, nil])
    func theCapTravelsWithTheDevices(policy: DeliveryRules.CapPolicy?) async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        let cap = PushCap(count: 5, period: .seconds(86_400))
        if let policy {
            task.rules.cap = cap
            task.rules.capPolicy = policy
        }
        scene.keep(task)
        let outputs = try await scene.run(
            scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
        let latest = policy == .delay ? (task.begins + .seconds(25 * 3_600)).milliseconds : nil
        #expect(chunk.cap == policy.map { _ in ChunkCap(cap, latest: latest) })
        // The devices' own life is the task's; that of one that waits begins when it is due.
        #expect(chunk.deadline == task.deadline(from: nil).milliseconds)
    }

    /// Devices whose chunk cannot be rendered keep their kind: they stay deferred, and end only by a release's claim.
    @Test func deferredDevicesKeepTheirKindInTheRenderer() async throws {
        let scene = try Scene()
        try scene.plan(marking: [0, 1])
        let place = SegmentID(scene.app, number: Scene.segment)
        let devices = [try Scene.device(.http, number: 0), try Scene.device(.http, number: 1)]
        let timing = DeviceTiming(deferral: .cap, begins: scene.time.now.milliseconds)
        let absent = try await scene.run(scene.handler(), chunks: [scene.chunk(devices, timing: timing)])
        let orders = try absent.map { try RetryOrder(decoding: $0.value) }
        #expect(orders.map(\.timing) == [timing] && orders[0].attempt == 0)

        scene.keep(try scene.unreachingTask())
        _ = scene.ledger.defer(
            [Deferral(offsets: [0], cause: .cap, due: scene.time.now)], of: scene.id, in: place)
        // The second device is not deferred yet: the chunk is repeated until it is.
        await #expect(throws: HeldElsewhereError.self) {
            try await scene.run(scene.handler(), chunks: [scene.chunk(devices, timing: timing)])
        }
        #expect(scene.states()[.suppressed] == 1 && scene.states()[.targeted] == 1)
        _ = scene.ledger.defer(
            [Deferral(offsets: [1], cause: .cap, due: scene.time.now)], of: scene.id, in: place)
        let results = try await scene.run(scene.handler(), chunks: [scene.chunk(devices, timing: timing)]).results()
        #expect(results.map(\.state) == [.suppressed, .suppressed])
    }

    /// Goal: a task whose content is lost delays no other task, and its devices are not lost. Method: one of its chunks
    /// between two of a task with content; the orders name each device as the chunk did.
    @Test func devicesOfAnAbsentContentAreBroughtAgain() async throws {
        let scene = try Scene()
        try scene.plan(marking: [0, 1, 2])
        let other = try Scene()
        let known = TaskMessage.task(try other.task(#"{"body":"b"}"#)).encoded()
        let absent = scene.chunk(
            [
                try Scene.device(.apns, number: 0), try Scene.device(.fcm, number: 1),
                try Scene.device(.apns, number: 2),
            ], silent: [2],
            attempt: 3)
        let present = AudienceChunk(
            task: scene.id, app: scene.app, lane: .fast, attempt: 0, content: known,
            segments: scene.chunk([try Scene.device(.apns, number: 3)]).segments)
        let first = try await scene.run(scene.handler(), chunks: [absent])
        let orders = try first.filter { $0.channel == Topics.retries.channel(.bulk) }.map {
            try RetryOrder(decoding: $0.value)
        }
        #expect(first.count == orders.count)
        #expect(orders.map(\.provider) == [.apns, .fcm])
        #expect(orders.map(\.offsets) == [[0, 2], [1]])
        #expect(orders[0].devices.map(\.tag) == [100, 102] && orders[0].devices.map(\.isSilent) == [false, true])
        #expect(orders.allSatisfy { $0.attempt == 3 && $0.task == scene.id })
        let due = scene.time.now + RenderHandler.absentPause
        #expect(orders.allSatisfy { $0.due >= due.milliseconds && $0.due <= (due + .seconds(30)).milliseconds })

        // The content of the second chunk does not apply to a chunk before it.
        let second = try await scene.run(scene.handler(), chunks: [absent, present])
        #expect(try second.dispatches(Topics.dispatchAPNs, lane: .fast).map(\.deviceCount) == [1])
        #expect(second.filter { $0.channel == Topics.retries.channel(.bulk) }.count == 2)
    }

    /// Goal: a chunk repeated after its task was closed and forgotten does not wait forever.
    @Test func aClosedTaskNeedsNoContent() async throws {
        let scene = try Scene()
        try scene.plan(marking: [])
        try scene.ledger.resolve(job: 0, of: scene.id)
        _ = scene.ledger.close([SegmentID(scene.app, number: Scene.segment)], of: scene.id)
        #expect(
            try await scene.run(scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])]).isEmpty)
    }

    /// Goal: a chunk of a task forgotten long ago blocks no lane. Method: neither content nor plan exists.
    @Test func anUnknownTaskIsNotWaitedFor() async throws {
        let scene = try Scene()
        #expect(
            try await scene.run(scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])]).isEmpty)
        #expect(scene.metrics.counter(.rendererDevicesUnledgered).value == 1)
    }

    @Test func anotherAppsTaskIsPoison() async throws {
        let scene = try Scene()
        var task = PushTask(id: scene.id, app: try AppID("other"), created: scene.time.now)
        task.content = try scene.task(#"{"body":"b"}"#).content
        scene.keep(task)
        await #expect(throws: PoisonMessageError.self) {
            try await scene.run(scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])])
        }
    }

    @Test func contentThatCannotBeRenderedIsReported() async throws {
        let scene = try Scene()
        let entry = TaskEntry(app: scene.app, begins: scene.time.now, deadline: scene.time.now)
        scene.archive.keep(Array("{}".utf8), of: scene.id, entry: entry)
        let error = await #expect(throws: StoreError.self) {
            try await scene.run(scene.handler(), chunks: [scene.chunk([try Scene.device(.apns, number: 0)])])
        }
        #expect(error?.code == .corrupt)
    }

    /// Goal: of the devices of a start, one with a token for the type gets it on that token, and one without the message,
    /// or nothing if there is none.
    @Test(arguments: [true, false]) func aStartIsSentToTokensForIt(hasFallback: Bool) async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#, platforms: [.ios])
        if !hasFallback { task.content.message = nil }
        var start = ActivityContent(.start, of: try ActivityID("order"))
        start.type = try ActivityType("Order")
        start.timestamp = 1_700_000_000
        start.members = JSONObject([("content-state", .object(JSONObject()))])
        task.content.activity = start
        scene.keep(task)
        try scene.plan(marking: [0, 1])
        var able = try Scene.device(.apns, number: 1)
        let token = try PushToken(.liveActivity, text: String(repeating: "ab", count: 40))
        able.startTokens[try ActivityType("Order")] = token
        let devices = [try Scene.device(.apns, number: 0), able]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
        #expect(chunk.activity == ChunkActivity(.start, of: try ActivityID("order"), timestamp: 1_700_000_000))
        let part = chunk.segments[0]
        #expect(part.tokens == (hasFallback ? [devices[0].token.text] : []) + [token.text])
        let variant = chunk.variants[Int(try #require(part.variants.last))]
        #expect(variant.kind == .liveActivity && variant.pushType == "liveactivity" && variant.collapseID.isEmpty)
        let aps = try JSON(variant.payload.payload(token: "", badge: 0))["aps"]
        #expect(aps?["event"] == .string("start") && aps?["timestamp"] == .integer(1_700_000_000))
        #expect(aps?["input-push-token"] == .integer(1))
        #expect(try outputs.results().map(\.reason) == (hasFallback ? [] : ["no_start_token"]))
    }

    @Test func whatIsNotRenderedForAMissingProviderEndsAsSuppressed() async throws {
        let scene = try Scene()
        scene.keep(try scene.unreachingTask())
        try scene.plan(marking: [0, 1, 2])
        let devices = try [
            Scene.device(.webpush, number: 0), Scene.device(.apns, number: 1), Scene.device(.http, number: 2),
        ]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        #expect(try outputs.dispatches(Topics.dispatchAPNs).map(\.deviceCount) == [1])
        let results = try outputs.results().sorted { $0.offset < $1.offset }
        #expect(results.map(\.offset) == [0, 2])
        #expect(results.map(\.state) == [.suppressed, .suppressed])
        #expect(results.map(\.reason) == ["no_provider", "no_provider"])
        #expect(results.map(\.device.tag) == [100, 102])
        #expect(results.map(\.provider) == [.webpush, .http])
        #expect(scene.states()[.suppressed] == 2)
        #expect(scene.states()[.targeted] == 1)
        let segment = SegmentID(scene.app, number: Scene.segment)
        _ = scene.ledger.cancel(scene.id, in: segment)
        try scene.ledger.resolve(job: 0, of: scene.id)
        let one = OutcomeCounts { $0 == .suppressed ? 1 : 0 }
        #expect(scene.ledger.close([segment], of: scene.id)?.providers == [.webpush: one, .http: one])
    }

    /// Goal: a repeated chunk repeats the result of a device that ended here, which is counted once.
    @Test func anEndIsReportedAgain() async throws {
        let scene = try Scene()
        scene.keep(try scene.unreachingTask())
        try scene.plan(marking: [0])
        let chunk = scene.chunk([try Scene.device(.webpush, number: 0)])
        let first = try await scene.run(scene.handler(), chunks: [chunk]).results()
        let again = try await scene.run(scene.handler(seed: 5), chunks: [chunk]).results()
        #expect(first == again)
        #expect(scene.metrics.exposition().contains("carillon_renderer_ended_devices_total 1"))
    }

    @Test func whatCannotBeRenderedEndsAsFailedWithItsReason() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(#"{"body":{"default":"fine","fr":"${var.name}"}}"#))
        try scene.plan(marking: [0, 1])
        let devices = try [Scene.device(.apns, number: 0, language: "fr"), Scene.device(.apns, number: 1)]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        #expect(try outputs.dispatches(Topics.dispatchAPNs).first?.segments[0].offsets == [1])
        let result = try #require(try outputs.results().first)
        #expect(result.state == .failed)
        #expect(result.reason.hasPrefix("message.body.fr: unknown variable ${var.name}"))
        #expect(scene.states()[.failed] == 1)
    }

    /// A device without a language gets the translation into that of its app; one with another language does not.
    @Test func devicesWithoutALanguageHaveThatOfTheirApp() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":{"default":"standard","fr":"bonjour"}}"#)
        task.content.fallbackLanguage = "fr-CA"
        scene.keep(task)
        try scene.plan(marking: [0, 1])
        let devices = try [Scene.device(.apns, number: 0), Scene.device(.apns, number: 1, language: "de")]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchAPNs).first)
        let texts = chunk.segments[0].variants.map { variant in
            String(decoding: chunk.variants[Int(variant)].payload.payload(token: "", badge: 0), as: UTF8.self)
        }
        #expect(texts.count == 2 && texts[0].contains("bonjour") && texts[1].contains("standard"))
    }

    /// Goal: a payload over the limit of a provider that the app lacks ends as suppressed, not as a content error.
    @Test func whatIsTooLargeForAProviderThatTheAppHasNotEndsAsSuppressed() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        let quotes = String(repeating: "\"", count: 1_500)
        task.content.payloads[.android] = JSONObject([("data", .object(JSONObject([("k", .string(quotes))])))])
        task.unprovided = [.huawei]
        scene.keep(task)
        try scene.plan(marking: [0, 1])
        let devices = try [Scene.device(.fcm, number: 0), Scene.device(.huawei, number: 1)]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        #expect(try outputs.dispatches(Topics.dispatchAndroid).first?.segments[0].offsets == [0])
        let result = try #require(try outputs.results().first)
        #expect(result.state == .suppressed)
        #expect(result.reason == "no_provider")
    }

    @Test func aRecordThatCannotBeReadEndsAsFailed() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(#"{"body":"b"}"#))
        try scene.plan(marking: [0, 1])
        var part = AudienceDevices(segment: Scene.segment)
        part.append(offset: 0, record: [0x22, 1, 2], isSilent: false)
        part.append(offset: 1, record: [], isSilent: false)
        let chunk = AudienceChunk(task: scene.id, app: scene.app, lane: .bulk, attempt: 0, segments: [part])
        let results = try await scene.run(scene.handler(), chunks: [chunk]).results()
        #expect(results.map(\.state) == [.failed, .failed])
        #expect(Set(results.map(\.reason)) == ["its record cannot be read"])
        #expect(results.map(\.provider) == [.fcm, .http])
    }

    /// Another renderer that may be alive holds a claim: the chunk must be repeated, and finished work is sent.
    @Test func aDeviceInOtherHandsHoldsTheChunk() async throws {
        let scene = try Scene()
        scene.keep(try scene.unreachingTask())
        try scene.plan(marking: [0, 1])
        let request = ClaimRequest(
            id: ClaimID(owner: 9, number: 1), offsets: [0], attempt: 0, lease: .seconds(30), countsBadge: false)
        _ = scene.ledger.claim(request, of: scene.id, in: SegmentID(scene.app, number: Scene.segment))
        let chunk = scene.chunk(try [Scene.device(.webpush, number: 0), Scene.device(.apns, number: 1)])
        await #expect(throws: HeldElsewhereError.self) { try await scene.run(scene.handler(), chunks: [chunk]) }
        #expect(try scene.producer.sent.dispatches(Topics.dispatchAPNs).map(\.deviceCount) == [1])
        scene.time.advance(by: .seconds(31))
        #expect(try await scene.run(scene.handler(), chunks: [chunk]).results().map(\.state) == [.suppressed])
    }

    /// Goal: a topic that is full does not cause repeats on the other topics. Method: one topic is full for some
    /// attempts.
    @Test func aFullTopicRepeatsNothingOnTheOther() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(#"{"body":"b"}"#))
        let chunk = scene.chunk(try [Scene.device(.apns, number: 0), Scene.device(.fcm, number: 1)])
        let handler = scene.handler()
        scene.producer.setFull([Topics.dispatchAndroid.channel(.bulk).name])
        for _ in 0..<3 { await #expect(throws: BusError.self) { try await scene.run(handler, chunks: [chunk]) } }
        #expect(try scene.producer.sent.dispatches(Topics.dispatchAPNs).count == 1)
        scene.producer.setFull([])
        let outputs = try await scene.run(handler, chunks: [chunk])
        #expect(outputs.count == 1)
        #expect(try outputs.dispatches(Topics.dispatchAndroid).count == 1)
    }

    /// Goal: the first messages of a topic that was deleted and recreated, which reuse old offsets, go to every sender.
    /// Method: a later message has the offset of one that had been sent to one of two senders.
    @Test func aTopicThatWasMadeAnewIsNotTakenForTheOldOne() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(#"{"body":"b"}"#))
        let handler = scene.handler()
        scene.producer.setFull([Topics.dispatchAndroid.channel(.bulk).name])
        let old = scene.chunk(try [Scene.device(.apns, number: 0), Scene.device(.fcm, number: 1)])
        await #expect(throws: BusError.self) { try await scene.run(handler, chunks: [old]) }
        scene.producer.setFull([])
        scene.time.advance(by: .milliseconds(1))
        let outputs = try await scene.run(
            handler, chunks: [scene.chunk(try [Scene.device(.apns, number: 2), Scene.device(.fcm, number: 3)])])
        #expect(try outputs.dispatches(Topics.dispatchAPNs).map(\.deviceCount) == [1])
        #expect(try outputs.dispatches(Topics.dispatchAndroid).map(\.deviceCount) == [1])
    }

    /// Without a ledger the devices cannot be verified: no result is sent, and the alarm metric rises.
    @Test func withoutALedgerNothingIsReported() async throws {
        let scene = try Scene()
        scene.keep(try scene.unreachingTask())
        #expect(
            try await scene.run(scene.handler(), chunks: [scene.chunk([try Scene.device(.webpush, number: 0)])]).isEmpty
        )
        #expect(scene.metrics.exposition().contains("carillon_renderer_unledgered_devices_total 1"))
    }

    /// Goal: the handler returns or throws, whatever the records contain. Method: random bytes of them are changed.
    @Test(arguments: Dice.seeds) func hostileRecordsAreBorne(seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        let scene = try Scene()
        scene.keep(try scene.task(RenderHandlerTests.bilingual))
        try scene.plan(marking: Array(0..<100))
        let kinds = PushProtocol.ofDevices
        for _ in 0..<20 {
            var part = AudienceDevices(segment: Scene.segment)
            for offset in 0..<100 {
                let kind = kinds[dice.number(below: kinds.count)]
                let language = ["fr", "fr_CA", "", "-", "\u{0}", String(repeating: "x-", count: 50)][
                    dice.number(below: 6)]
                var record = try Scene.device(kind, number: offset, language: language).packed
                for _ in 0..<dice.number(below: 3) { record[dice.number(below: record.count)] = dice.bytes(1)[0] }
                part.append(offset: UInt16(offset), record: record, isSilent: dice.number(below: 2) == 0)
            }
            let chunk = AudienceChunk(task: scene.id, app: scene.app, lane: .bulk, attempt: 0, segments: [part])
            let outputs = try await scene.run(scene.handler(), chunks: [chunk])
            let sent = try DispatchFamily.allCases.flatMap { try outputs.dispatches($0.topic) }
            let reported = try outputs.results().count
            #expect(sent.reduce(0) { $0 + $1.deviceCount } + reported == 100)
        }
    }
}
