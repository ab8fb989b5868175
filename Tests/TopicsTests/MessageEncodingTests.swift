import PushModel
import TestSupport
import Testing
import Topics

/// Every message is unchanged by a round trip, and no bytes make a decoder trap.
@Suite struct MessageEncodingTests {
    @Test func aDispatchChunkComesBackAsItWas() throws {
        let chunk = try MessageEncodingTests.chunk()
        #expect(try DispatchChunk(decoding: chunk.encoded()) == chunk)
    }

    @Test func aRetryOrderComesBackAsItWas() throws {
        let order = try MessageEncodingTests.order()
        #expect(try RetryOrder(decoding: order.encoded()) == order)
    }

    /// The next job would have a number that cannot be encoded, and sending it would trap.
    @Test func aJobWhoseFollowersHaveNoNumberIsMalformed() throws {
        let numbers = [SegmentNumber(rawValue: 1), SegmentNumber(rawValue: 2)]
        func job(_ number: Int, stride: Int) throws -> [UInt8] {
            SegmentJob(
                task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .bulk, job: number,
                work: .segments(numbers, stride: stride)
            ).encoded()
        }
        let last = (1 << 35) - 1
        #expect(try SegmentJob(decoding: job(last - 1, stride: 1)).next?.encoded().isEmpty == false)
        #expect(throws: MalformedMessageError.self) { try SegmentJob(decoding: job(last, stride: 1)) }
        #expect(throws: MalformedMessageError.self) { try SegmentJob(decoding: job(1, stride: last)) }
    }

    @Test func anOrderIsDividedIntoParts() throws {
        let order = try MessageEncodingTests.order()
        let parts = order.parts(of: 2)
        #expect(parts.map(\.offsets) == [[0, 17], [4_095]])
        #expect(parts.allSatisfy { $0.task == order.task && $0.due == order.due && $0.provider == .fcm })
    }

    @Test func aPayloadIsCompletedSlotBySlot() {
        let template = PayloadTemplate(
            parts: [Array("{\"to\":\"".utf8), Array("\",\"badge\":".utf8), Array("}".utf8)], slots: [.token, .badge])
        let payload = String(decoding: template.payload(token: "abc", badge: 7), as: UTF8.self)
        #expect(payload == #"{"to":"abc","badge":7}"#)
        let proven = PayloadTemplate(parts: [Array("[\"".utf8), Array("\"]".utf8)], slots: [.proof])
        #expect(String(decoding: proven.payload(token: "abc", badge: 7, proof: "xyz"), as: UTF8.self) == #"["xyz"]"#)
    }

    @Test func truncatedMessagesAreMalformed() throws {
        let chunk = try MessageEncodingTests.chunk().encoded()
        for length in 0..<chunk.count {
            #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: Array(chunk.prefix(length))) }
        }
        let order = try MessageEncodingTests.order().encoded()
        for length in 0..<order.count {
            #expect(throws: MalformedMessageError.self) { try RetryOrder(decoding: Array(order.prefix(length))) }
        }
    }

    /// Each byte in turn is set to hostile values for lengths and kinds. A message that still decodes must encode.
    @Test func damagedMessagesNeverTrap() throws {
        let chunk = try MessageEncodingTests.chunk().encoded()
        let order = try MessageEncodingTests.order().encoded()
        for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
            for position in chunk.indices {
                var damaged = chunk
                damaged[position] = value
                if let decoded = try? DispatchChunk(decoding: damaged) { _ = decoded.encoded() }
            }
            for position in order.indices {
                var damaged = order
                damaged[position] = value
                if let decoded = try? RetryOrder(decoding: damaged) { _ = decoded.encoded() }
            }
        }
    }

    /// A chunk without the acceptance time, which senders that are upgraded first still receive.
    @Test func aChunkOfTheFormatBeforeIsRead() throws {
        let chunk = try MessageEncodingTests.chunk()
        var bytes = chunk.encoded()
        bytes[0] = 1
        let accepted = 1 + 16 + 1 + chunk.app.text.utf8.count + 1
        bytes.removeSubrange(accepted..<accepted + 8)
        let decoded = try DispatchChunk(decoding: bytes)
        #expect(decoded.accepted == 0)
        #expect(decoded.deadline == chunk.deadline && decoded.segments == chunk.segments)
    }

    @Test func aVariantThatIsNotThereMakesAChunkMalformed() throws {
        var segment = SegmentDevices(segment: SegmentNumber(rawValue: 0))
        segment.append(offset: 1, variant: 3, device: try MessageEncodingTests.device(1))
        let chunk = try MessageEncodingTests.chunk(segments: [segment])
        #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: chunk.encoded()) }
    }

    /// Goal: a message without a timing is readable for earlier versions, and one with a timing keeps it. Method: the
    /// first byte, and the length of the bytes that a timing adds.
    @Test func onlyATimingNeedsALaterFormat() throws {
        let timings = [
            DeviceTiming(deferral: .quietHours, begins: 1_900_000_000_001), DeviceTiming(deferral: .rate),
            DeviceTiming(begins: 0), DeviceTiming(begins: 5, isPacedRetry: true),
        ]
        let (order, chunk) = (try MessageEncodingTests.order(), try MessageEncodingTests.chunk())
        #expect(order.encoded()[0] == 1 && chunk.encoded()[0] == 2)
        #expect(try RetryOrder(decoding: order.encoded()).timing == .ofTask)
        for timing in timings {
            let timedOrder = RetryOrder(
                task: order.task, segment: order.segment, provider: order.provider, attempt: 0, due: order.due,
                timing: timing, devices: order.devices)
            #expect(timedOrder.encoded()[0] == 2 && timedOrder.encoded().count == order.encoded().count + 9)
            #expect(try RetryOrder(decoding: timedOrder.encoded()) == timedOrder)
            #expect(timedOrder.parts(of: 2).map(\.timing) == [timing, timing])
            let timedChunk = DispatchChunk(
                task: chunk.task, app: chunk.app, lane: chunk.lane, attempt: 0, timing: timing,
                accepted: chunk.accepted, deadline: chunk.deadline, countsBadge: true, repeatsUnknown: false,
                variants: chunk.variants, segments: chunk.segments)
            #expect(timedChunk.encoded()[0] == 3)
            #expect(try DispatchChunk(decoding: timedChunk.encoded()) == timedChunk)
        }
    }

    @Test(arguments: [[500, 0], [0, 1_000_000], [1, 2]])
    func ratesAreCarried(perSecond: [Int]) throws {
        let chunk = try MessageEncodingTests.chunk()
        let scopes = [PushRate.Scope.task(chunk.task), .app(chunk.app)]
        let rates = zip(perSecond, scopes).filter { $0.0 > 0 }.map { PushRate($0, of: $1) }
        for timing in [DeviceTiming.ofTask, DeviceTiming(deferral: .rate, begins: 7)] {
            let paced = DispatchChunk(
                task: chunk.task, app: chunk.app, lane: chunk.lane, attempt: 0, timing: timing,
                accepted: chunk.accepted, deadline: chunk.deadline, countsBadge: true, repeatsUnknown: false,
                rates: rates, variants: chunk.variants, segments: chunk.segments)
            #expect(paced.encoded()[0] == 4)
            #expect(try DispatchChunk(decoding: paced.encoded()) == paced)
        }
    }

    /// Goal: the rate of a group is carried beside everything else that a chunk may have, and each cut is noticed, as is
    /// what only a later version knows.
    @Test(arguments: [false, true], [false, true])
    func theRateOfAGroupIsCarried(hasKeys: Bool, hasOthers: Bool) throws {
        let chunk = try MessageEncodingTests.chunk()
        let group = PushRate(500, of: .group(chunk.app, 1 << 40))
        let others = [PushRate(7, of: .task(chunk.task)), PushRate(1_000_000, of: .app(chunk.app))]
        let browser = try #require(WebPushKeys(publicKey: [4] + Array(1...64), secret: Array(1...16)))
        var devices = SegmentDevices(segment: SegmentNumber(rawValue: 9))
        devices.append(
            offset: 1, variant: 0, isSandbox: false, tag: 1, updated: 2, token: "https://push.example",
            webPushKeys: hasKeys ? browser : nil)
        let paced = DispatchChunk(
            task: chunk.task, app: chunk.app, lane: .bulk, attempt: 0,
            cap: hasOthers ? ChunkCap(PushCap(count: 1, period: .seconds(60)), latest: nil) : nil, accepted: 1,
            deadline: 2, countsBadge: false, repeatsUnknown: false,
            rates: hasOthers ? [others[0], group, others[1]] : [group],
            receiptKey: hasKeys ? TaskReceiptKey(bytes: Array(1...16)) : nil, variants: chunk.variants,
            segments: chunk.segments + [devices])
        let bytes = paced.encoded()
        #expect(bytes[0] == 7)
        #expect(try DispatchChunk(decoding: bytes) == paced)
        for length in 0..<bytes.count {
            #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: Array(bytes.prefix(length))) }
        }
        // Format, task, the app with its length, the timing, the rates and the cap come before the flags.
        let flags = 1 + 16 + 1 + 4 + 9 + 8 + 1 + (hasOthers ? 20 : 0)
        #expect(bytes[flags] == (hasKeys ? 7 : 4))
        var later = bytes
        later[flags] |= 0x80
        #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: later) }
        // A rate of zero.
        var unpaced = bytes
        let rate = flags + 1 + (hasKeys ? 16 : 0) + 8
        unpaced.replaceSubrange(rate..<rate + 4, with: [0, 0, 0, 0])
        #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: unpaced) }
    }

    /// The same for a cap, with and without a timing.
    @Test func onlyALimitNeedsTheLatestFormat() throws {
        let chunk = try MessageEncodingTests.chunk()
        let timings = [DeviceTiming.ofTask, DeviceTiming(deferral: .cap, begins: 5)]
        let caps = [
            ChunkCap(PushCap(count: 1, period: .seconds(60)), latest: nil),
            ChunkCap(PushCap(count: 10_000, period: .seconds(30 * 86_400)), latest: 1_900_000_000_000),
        ]
        for (timing, cap) in timings.flatMap({ timing in caps.map { (timing, $0) } }) {
            let capped = DispatchChunk(
                task: chunk.task, app: chunk.app, lane: chunk.lane, attempt: 0, timing: timing, cap: cap,
                accepted: chunk.accepted, deadline: chunk.deadline, countsBadge: true, repeatsUnknown: false,
                variants: chunk.variants, segments: chunk.segments)
            var bytes = capped.encoded()
            #expect(bytes[0] == 4 && bytes.count == chunk.encoded().count + 9 + 8 + 1 + 20)
            #expect(try DispatchChunk(decoding: bytes) == capped)
            // Format, task, the app with its length, the timing and the rates come before the cap.
            bytes[1 + 16 + 1 + 4 + 9 + 8 + 1] = 0
            if cap.cap.count == 1 {
                #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: bytes) }
            }
        }
    }

    /// Goal: a chunk without a key is readable for earlier versions, and one with a key keeps it and everything else.
    @Test func onlyAKeyForReceiptsNeedsTheLatestFormat() throws {
        let chunk = try MessageEncodingTests.chunk()
        let key = try #require(TaskReceiptKey(bytes: Array(1...16)))
        let cap = ChunkCap(PushCap(count: 1, period: .seconds(60)), latest: nil)
        for (cap, rates) in [(nil, []), (cap, [PushRate(5, of: .task(chunk.task))])] {
            func encoded(_ key: TaskReceiptKey?) -> DispatchChunk {
                DispatchChunk(
                    task: chunk.task, app: chunk.app, lane: chunk.lane, attempt: 0, timing: .ofTask, cap: cap,
                    accepted: chunk.accepted, deadline: chunk.deadline, countsBadge: true, repeatsUnknown: false,
                    rates: rates, receiptKey: key, variants: chunk.variants, segments: chunk.segments)
            }
            let bytes = encoded(key).encoded()
            #expect(bytes[0] == 5 && encoded(nil).encoded()[0] == (cap == nil ? 2 : 4))
            #expect(try DispatchChunk(decoding: bytes) == encoded(key))
            for length in 0..<bytes.count {
                #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: Array(bytes.prefix(length))) }
            }
        }
    }

    /// Goal: keys of browsers come back beside devices without any, with and without a key for receipts; each cut is
    /// noticed.
    @Test(arguments: [false, true]) func keysOfBrowsersComeBack(hasReceiptKey: Bool) throws {
        let chunk = try MessageEncodingTests.chunk()
        let keys = try #require(WebPushKeys(publicKey: [4] + Array(1...64), secret: Array(1...16)))
        var devices = SegmentDevices(segment: SegmentNumber(rawValue: 9))
        for number in 0..<6 {
            devices.append(
                offset: UInt16(number), variant: 0, isSandbox: false, tag: 1, updated: 2, token: "https://push.example",
                webPushKeys: [1, 3].contains(number) ? keys : nil)
        }
        let encrypted = DispatchChunk(
            task: chunk.task, app: chunk.app, lane: .bulk, attempt: 0, accepted: 1, deadline: 2, countsBadge: false,
            repeatsUnknown: false, receiptKey: hasReceiptKey ? TaskReceiptKey(bytes: Array(1...16)) : nil,
            variants: chunk.variants, segments: chunk.segments + [devices])
        let bytes = encrypted.encoded()
        let decoded = try DispatchChunk(decoding: bytes)
        #expect(bytes[0] == 6 && decoded == encrypted)
        #expect((0..<6).map { decoded.segments[2].webPushKeys(at: $0) } == [nil, keys, nil, keys, nil, nil])
        for length in 0..<bytes.count {
            #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: Array(bytes.prefix(length))) }
        }
    }

    @Test func anUnknownCauseIsNotDecoded() throws {
        let order = try MessageEncodingTests.order()
        var bytes = RetryOrder(
            task: order.task, segment: order.segment, provider: order.provider, attempt: 0, due: order.due,
            timing: DeviceTiming(deferral: .cap), devices: order.devices
        ).encoded()
        // Format, task, and the app with its length come first.
        bytes[1 + 16 + 1 + 4] = 9
        #expect(throws: MalformedMessageError.self) { try RetryOrder(decoding: bytes) }
    }

    private static func device(_ number: UInt32) throws -> Device {
        var device = Device(tag: number, token: try Samples.token(Int(number)), created: 1_000)
        device.environment = number.isMultiple(of: 2) ? .sandbox : .production
        return device
    }

    private static func chunk(segments given: [SegmentDevices]? = nil) throws -> DispatchChunk {
        var first = SegmentDevices(segment: SegmentNumber(rawValue: 7))
        for number in 0..<5 {
            first.append(offset: UInt16(number * 800), variant: UInt8(number % 2), device: try device(UInt32(number)))
        }
        var second = SegmentDevices(segment: SegmentNumber(rawValue: 8))
        second.append(offset: 4_095, variant: 0, device: try device(9))
        let alert = RenderedVariant(
            kind: .apns, priority: .high, pushType: "alert", collapseID: "task", expiration: 1_900_000_000,
            payload: PayloadTemplate(parts: [Array("{".utf8), Array("}".utf8)], slots: [.badge]))
        let silent = RenderedVariant(
            kind: .apns, priority: .normal, pushType: "background", collapseID: "", expiration: 0,
            payload: PayloadTemplate(Array("{}".utf8)), isSilent: true)
        return DispatchChunk(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .fast, attempt: 1,
            accepted: 1_800_000_000_000, deadline: 1_900_000_000_000,
            countsBadge: true, repeatsUnknown: false, variants: [alert, silent], segments: given ?? [first, second])
    }

    private static func order() throws -> RetryOrder {
        RetryOrder(
            task: TaskID(high: 1, low: 2), segment: SegmentID(try AppID("news"), number: SegmentNumber(rawValue: 3)),
            provider: .fcm, attempt: 2, due: 1_900_000_000_000,
            devices: [0, 17, 4_095].map { offset in
                RetryOrder.Device(offset: offset, tag: 77 + UInt32(offset), isSilent: offset == 17)
            })
    }
}
