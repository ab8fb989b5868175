import Renderer

await Renderer.main()
