import { writeFileSync } from 'node:fs'
import { readCatalogueFiles } from '../dist/src/blueprints/catalogue/files.js'
import { catalogueFrom, catalogueJson } from '../dist/src/blueprints/catalogue/load.js'

/** Checks the files of the catalogue, and writes it as the service reads it. */
try {
  const catalogue = catalogueFrom(readCatalogueFiles())
  writeFileSync('dist/catalogue.json', JSON.stringify(catalogueJson(catalogue)))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
