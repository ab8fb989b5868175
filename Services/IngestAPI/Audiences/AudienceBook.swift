import Apps
import JSONKit
import PushModel
import Store
import TaskModel

/// The saved audiences of apps.
struct AudienceBook: Sendable {
    /// Saved audiences that one audience can refer to, directly and through others.
    static let referencesMaximum = 64

    let store: any SavedAudiences

    func save(_ audience: Audience, as name: AudienceName, in app: AppID) async throws {
        try await store.save(audience.json.compactBytes, as: name, in: app)
    }

    func remove(_ name: AudienceName, in app: AppID) async throws {
        try await store.removeAudience(name, in: app)
    }

    func names(in app: AppID) async throws -> [AudienceName] {
        try await store.audienceNames(in: app)
    }

    func audience(_ name: AudienceName, in app: AppID) async throws -> Audience? {
        try await store.audiences([name], in: app)[name].map(AudienceBook.decode)
    }

    /// The audience with the present meanings of the saved ones, within the bounds of an audience. `replacing` stands
    /// for an audience that is about to be saved.
    func expand(
        _ audience: Audience, in app: AppID, replacing: (name: AudienceName, audience: Audience)? = nil
    ) async throws -> Audience {
        guard !audience.savedNames.isEmpty else { return audience }
        var saved: [AudienceName: Audience] = [:]
        if let replacing { saved[replacing.name] = replacing.audience }
        var missing = audience.savedNames.union(replacing?.audience.savedNames ?? []).subtracting(saved.keys)
        while !missing.isEmpty {
            guard saved.count + missing.count <= AudienceBook.referencesMaximum else {
                throw AudienceBook.refusal(
                    "refers to more than \(AudienceBook.referencesMaximum) saved audiences, directly or through others")
            }
            let found = try await store.audiences(missing.sorted(), in: app).mapValues(AudienceBook.decode)
            if let unknown = missing.subtracting(found.keys).min() { throw AudienceBook.unknown(unknown) }
            saved.merge(found) { known, _ in known }
            missing = Set(found.values.flatMap(\.savedNames)).subtracting(saved.keys)
        }
        do {
            let expanded = try audience.expanded(saved)
            try expanded.checkBounds()
            return expanded
        } catch let error as Audience.ExpansionError {
            throw AudienceBook.refusal(error)
        } catch let error as InvalidValueError {
            throw AudienceBook.refusal("with its saved audiences it \(error)")
        }
    }

    /// The draft with what its saved audiences mean now, for which the caller has the scope.
    func expand(_ draft: TaskDraft, of caller: AuthorizedCaller) async throws -> TaskDraft {
        guard draft.hasSavedAudience, let audience = draft.audience else { return draft }
        var expanded = draft
        expanded.audience = try await expand(audience, in: caller.app.id)
        try caller.require(expanded.scope)
        return expanded
    }

    private static func decode(_ bytes: [UInt8]) throws -> Audience {
        let problems = JSONProblems()
        guard let json = try? JSON(bytes), let audience = Audience(JSONFields(json, problems: problems)),
            problems.all.isEmpty
        else { throw StoreError(.corrupt, message: "a saved audience cannot be decoded") }
        return audience
    }

    private static func refusal(_ error: Audience.ExpansionError) -> TaskError {
        switch error {
        case .unknown(let name): unknown(name)
        case .cycle(let names):
            refusal("saved audiences refer to each other: \(names.map(\.text).joined(separator: ", "))")
        case .tooManyParts:
            refusal("with its saved audiences it has more than the maximum of \(Audience.partsMaximum) parts")
        }
    }

    private static func unknown(_ name: AudienceName) -> TaskError {
        refusal("no saved audience \(name); create it with PUT /v1/audiences/\(name)")
    }

    private static func refusal(_ message: String) -> TaskError {
        .invalidField("audience", message: message)
    }
}
