import { textOf } from './documents.js'

/** The one-page scenario in the catalogue's README. */
export function scenarioOfReadme(): string {
  const readme = textOf('src/blueprints/catalogue/README.md')
  const [, page] = /cat > .*drill\.yaml <<'YAML'\n([\s\S]*?\n)YAML\n/.exec(readme) ?? []
  if (page === undefined) throw new Error('The catalogue has no scenario in its README')
  return page
}
