import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// What the push services of Windows and Windows Phone get.
@Suite struct WindowsMessageTests {
    private static let id = RenderedTask.idText
    private static let head = #"<?xml version="1.0" encoding="utf-8"?>"#
    private static let full = #"""
        {"title":{"default":"Fire","fr":"Feu"},"body":"Run & <hide>","data":{"k":"v"},"badge":"increment"}
        """#

    private static func task(_ message: String, isProven: Bool = false) throws -> RenderedTask {
        var task = try RenderedTask(message: message, platforms: [.windows])
        if isProven { task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16)) }
        return task
    }

    private static func shown(_ variant: RenderedVariant, badge: UInt32 = 0) -> String {
        String(decoding: variant.payload.payload(token: "", badge: badge, proof: "PROOF-_"), as: UTF8.self)
    }

    private static func phone(
        _ task: RenderedTask, _ phone: WindowsPhone, isSilent: Bool = false
    ) throws -> RenderedVariant {
        try task.rendering.variant(for: .mpns, language: nil, isSilent: isSilent, phone: phone)
    }

    @Test func aToastHasTheTextsAndTheData() throws {
        let task = try Self.task(Self.full, isProven: true)
        let variant = try task.variant(.wns, language: "fr")
        #expect(
            Self.shown(variant)
                == Self.head + #"<toast launch="{&quot;k&quot;:&quot;v&quot;,&quot;task_id&quot;:&quot;\#(Self.id)"#
                + "&quot;,"
                + #"&quot;task_proof&quot;:&quot;PROOF-_&quot;}"><visual><binding template="ToastText02">"#
                + #"<text id="1">Feu</text><text id="2">Run &amp; &lt;hide&gt;</text></binding></visual></toast>"#)
        #expect(variant.pushType == "wns/toast" && variant.collapseID == Self.id && variant.priority == .high)
        #expect(variant.expiration == 1_760_003_600 && variant.payload.slots == [.proof])
        let image = try Self.task(
            #"{"body":"b","image":"https://a.example/?a=1&b=2","url":"https://a.example/x","data":{"task_id":"mine"}}"#)
        #expect(
            try Self.shown(image.variant(.wns))
                == Self.head + #"<toast launch="{&quot;task_id&quot;:&quot;mine&quot;,"#
                + #"&quot;url&quot;:&quot;https://a.example/x&quot;}"><visual>"#
                + #"<binding template="ToastImageAndText02"><image id="1" src="https://a.example/?a=1&amp;b=2"/>"#
                + #"<text id="1"></text><text id="2">b</text></binding></visual></toast>"#)
    }

    /// A badge is a push of its own: beside texts or data it would be a second one.
    @Test func aBadgeIsShownByAPushThatHasNothingElse() throws {
        let badge = try Self.task(#"{"body":"b","badge":"increment"}"#)
        let silent = try badge.variant(.wns, isSilent: true)
        #expect(Self.shown(silent, badge: 12) == Self.head + #"<badge value="12"/>"#)
        #expect(silent.pushType == "wns/badge" && silent.isSilent && silent.priority == .normal)
        let plain = try Self.task(#"{"badge":120}"#)
        #expect(try Self.shown(plain.variant(.wns)) == Self.head + #"<badge value="120"/>"#)
        let tile = #"<wp:Notification xmlns:wp="WPNotification"><wp:Tile><wp:Count>99</wp:Count></wp:Tile>"#
        for phone in [WindowsPhone.basic, .withParameters] {
            let variant = try Self.phone(plain, phone)
            #expect(Self.shown(variant) == Self.head + tile + "</wp:Notification>")
            #expect(variant.pushType == "token")
        }
        #expect(
            try Self.shown(Self.phone(badge, .withFlipTiles, isSilent: true), badge: 3)
                == Self.head + #"<wp:Notification xmlns:wp="WPNotification" Version="2.0">"#
                + #"<wp:Tile Template="FlipTile"><wp:Count>3</wp:Count></wp:Tile></wp:Notification>"#)
    }

    @Test func dataAloneIsRaw() throws {
        let task = try Self.task(Self.full, isProven: true)
        for variant in [
            try task.variant(.wns, isSilent: true), try Self.phone(task, .withFlipTiles, isSilent: true),
        ] {
            #expect(Self.shown(variant) == #"{"k":"v","task_id":"\#(Self.id)","task_proof":"PROOF-_"}"#)
            #expect(variant.pushType == (variant.kind == .wns ? "wns/raw" : "") && variant.isSilent)
        }
        let silent = try Self.task(#"{"silent":true}"#)
        #expect(try Self.shown(silent.variant(.wns)) == #"{"task_id":"\#(Self.id)"}"#)
    }

    /// As in pushd: older phones have no parameter.
    @Test func aPhonesToastDependsOnItsVersion() throws {
        let task = try Self.task(
            #"{"title":"Fire","body":"Run","data":{"a b":"x&y=ü","n":{"m":1}}}"#, isProven: true)
        let start =
            Self.head + #"<wp:Notification xmlns:wp="WPNotification"><wp:Toast><wp:Text1>Fire</wp:Text1>"#
            + "<wp:Text2>Run</wp:Text2>"
        let end = "</wp:Toast></wp:Notification>"
        #expect(try Self.shown(Self.phone(task, .basic)) == start + end)
        let parameter =
            "<wp:Param>?a%20b=x%26y%3D%C3%BC&amp;n=%7B%22m%22%3A1%7D&amp;task_id=\(Self.id)&amp;task_proof=PROOF-_"
            + "</wp:Param>"
        for phone in [WindowsPhone.withParameters, .withFlipTiles] {
            let variant = try Self.phone(task, phone)
            #expect(Self.shown(variant) == start + parameter + end)
            #expect(variant.pushType == "toast" && variant.collapseID.isEmpty)
        }
    }

    @Test(arguments: [
        ("", WindowsPhone.basic), ("7", .basic), ("7.4.9", .basic), ("x8", .basic), ("7.5", .withParameters),
        ("7.10.8773", .withParameters), ("8", .withFlipTiles), ("8.0", .withFlipTiles), ("8.10.14219", .withFlipTiles),
        ("10.0", .withFlipTiles), ("99999999999", .withFlipTiles),
    ])
    func versionsAreComparedByNumbers(version: String, phone: WindowsPhone) {
        #expect(WindowsPhone(version: version.utf8) == phone)
    }

    @Test func phonesOfOneKindShareAVariant() throws {
        let rendering = try Self.task(Self.full).rendering
        let phones = [WindowsPhone.basic, .withParameters, .withFlipTiles]
        func selections(_ kind: PushProtocol) -> Set<TaskRendering.Selection> {
            Set(phones.map { rendering.selection(for: kind, language: nil, isSilent: false, phone: $0) })
        }
        #expect(selections(.mpns).count == 3)
        #expect(selections(.wns).count == 1)
    }

    @Test func aPublishersPayloadIsForBothServices() throws {
        var task = try RenderedTask(payloads: [
            .windows: #"{"notification":{"title":"T","body":"B","launch":"/news?id=1&x=2"}}"#
        ])
        #expect(
            try Self.shown(task.variant(.wns))
                == Self.head + #"<toast launch="/news?id=1&amp;x=2"><visual><binding template="ToastText02">"#
                + #"<text id="1">T</text><text id="2">B</text></binding></visual></toast>"#)
        #expect(
            try Self.shown(Self.phone(task, .withParameters))
                == Self.head + #"<wp:Notification xmlns:wp="WPNotification"><wp:Toast><wp:Text1>T</wp:Text1>"#
                + "<wp:Text2>B</wp:Text2><wp:Param>/news?id=1&amp;x=2</wp:Param></wp:Toast></wp:Notification>")
        // Nothing is left for a silent device.
        #expect(try Self.shown(task.variant(.wns, isSilent: true)) == #"{"task_id":"\#(Self.id)"}"#)
        task.task.content.payloads[.windows] = try JSON(#"{"data":{"a":[1,null]},"notification":{"title":"T"}}"#).object
        #expect(try Self.shown(task.variant(.wns, isSilent: true)) == #"{"a":[1,null]}"#)
        #expect(try Self.shown(task.variant(.wns)).contains(#"launch="{&quot;a&quot;:[1,null]}""#))
    }

    @Test(arguments: [
        ("{}", "payloads.windows"), (#"{"toast":{}}"#, "payloads.windows.toast"),
        (#"{"data":[]}"#, "payloads.windows.data"),
        (#"{"notification":{"sound":"x"}}"#, "payloads.windows.notification.sound"),
        (#"{"notification":{"title":1}}"#, "payloads.windows.notification.title"),
        (#"{"data":{"a":1},"notification":{"launch":"x"}}"#, "payloads.windows.notification.launch"),
    ])
    func aPayloadInAnotherFormIsRefused(payload: String, path: String) throws {
        let task = try RenderedTask(payloads: [.windows: payload])
        for kind in [PushProtocol.wns, .mpns] { #expect(task.flaw(kind)?.path == path) }
        #expect(task.rendering.checkLimits().map(\.path) == [path])
    }

    /// Goal: whatever the texts contain, a parser of XML reads it as it was written. Method: Python's parser, which is
    /// expat; characters that XML has no form for come back as replacement characters.
    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/python")), arguments: Dice.seeds)
    func aParserReadsWhatWasWritten(seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        let folder = TemporaryDirectory()
        let pieces = [
            "&", "<", ">", "\"", "'", "]]>", "<!--", "&amp;", "\u{0}", "\u{1F}", "\t", "\r\n", "\n", "\u{85}", "\u{7F}",
            "\u{FFFE}", "\u{FFFF}", "é\u{301}", "🔔", "x ",
        ]
        func text() -> String {
            (0..<dice.number(below: 12)).map { _ in pieces[dice.number(below: pieces.count)] }.joined()
        }
        var expected: [String] = []
        for number in 0..<40 {
            var message = PushMessage()
            (message.title, message.body) = (LocalizedText(text()), LocalizedText(text()))
            message.data["k"] = .string(text())
            var task = try Self.task("{}")
            task.task.content.message = message
            let (title, body) = (message.title?.standard ?? "", message.body?.standard ?? "")
            let launch = JSON.object(
                JSONObject([("k", message.data["k"] ?? .null), ("task_id", .string(Self.id))])
            ).compactText
            expected += [launch, title, body, title, body].map(Self.readable)
            folder.write("\(number).wns", content: Self.shown(try task.variant(.wns)))
            folder.write("\(number).mpns", content: Self.shown(try Self.phone(task, .basic)))
        }
        let python = try ChildProcess(
            SourceTree.path(".venv/bin/python"), arguments: ["-c", Self.reader, folder.path, "40"])
        #expect(await python.end(within: .hangLimit) == .exited(0), "\(python.lines)")
        let read = try #require(try JSON(python.lines.joined()).elements)
        #expect(read.map(\.text) == expected)
    }

    private static let reader = """
        import json, sys, xml.etree.ElementTree as tree
        read = []
        for number in range(int(sys.argv[2])):
            toast = tree.parse(f"{sys.argv[1]}/{number}.wns").getroot()
            read += [toast.get("launch")] + [text.text or "" for text in toast.iter("text")]
            phone = tree.parse(f"{sys.argv[1]}/{number}.mpns").getroot()
            read += [phone.find(f".//{{WPNotification}}{name}").text or "" for name in ("Text1", "Text2")]
        print(json.dumps(read))
        """

    private static func readable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 && !"\t\r\n".unicodeScalars.contains(scalar)
            let isWritten = !isControl && scalar.value & 0xFFFE != 0xFFFE
            result.append(isWritten ? scalar : "\u{FFFD}")
        }
        return String(result)
    }
}
