import Carillon

await Carillon.main()
