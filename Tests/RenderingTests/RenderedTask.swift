import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import Testing
import Topics

/// A task under test, and its payloads as JSON.
struct RenderedTask {
    static let id = TaskID(high: 0x00F5_C216_EE53_4E29, low: 0xAF13_F109_D556_3A9E)
    static let idText = "00f5c216-ee53-4e29-af13-f109d5563a9e"
    static let created = Timestamp(milliseconds: 1_760_000_000_000)

    /// Wider than the limits of a request, since rendering must enforce its own.
    private static let limits = JSONLimits(
        bytesMaximum: 2 << 20, valuesMaximum: 1_000_000, containersMaximum: 1_000_000, nameBytesMaximum: 1 << 20)

    var task: PushTask
    var now = RenderedTask.created

    init(message: String? = nil, platforms: Set<Platform> = [.ios, .android], payloads: [Platform: String] = [:])
        throws
    {
        task = PushTask(id: RenderedTask.id, app: try AppID("bells"), created: RenderedTask.created)
        task.options.timeToLive = .seconds(3_600)
        if let message {
            let problems = JSONProblems()
            task.content.message = PushMessage(JSONFields(try JSON(message), problems: problems))
            try #require(problems.all.isEmpty, "\(problems.all)")
            task.content.platforms = platforms
        }
        for (platform, text) in payloads {
            task.content.payloads[platform] = try JSON(text, limits: RenderedTask.limits).object
        }
    }

    var rendering: TaskRendering { TaskRendering(task, now: now) }

    func variant(_ kind: PushProtocol, language: String? = nil, isSilent: Bool = false) throws -> RenderedVariant {
        try rendering.variant(for: kind, language: language, isSilent: isSilent)
    }

    func payload(
        _ kind: PushProtocol, language: String? = nil, isSilent: Bool = false, badge: UInt32 = 0
    ) throws -> JSON {
        try JSON(variant(kind, language: language, isSilent: isSilent).payload.payload(token: "TOKEN", badge: badge))
    }

    func flaw(_ kind: PushProtocol) -> RenderingError? {
        do throws(RenderingError) {
            _ = try rendering.variant(for: kind, language: nil, isSilent: false)
            return nil
        } catch {
            return error
        }
    }
}
