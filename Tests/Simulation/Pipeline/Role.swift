/// The services of the pipeline.
enum Role: String, CaseIterable, Sendable {
    case ingest
    case resolver
    case renderer
    case apple
    case android
    case web
    case scheduler
    case reporter
}
