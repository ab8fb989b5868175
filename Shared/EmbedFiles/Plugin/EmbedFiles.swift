import Foundation
import PackagePlugin

/// Embeds the files of a target that are no source files as constants of `PackageResources`, by `embed-files`.
@main struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let files = target.sourceFiles.filter { $0.type == .unknown }.map(\.url).sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "PackageResources.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files into \(target.name)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
