import { readFileSync } from 'node:fs'

/** The scenario of one page that the README makes from nothing. */
export function scenarioOfReadme(): string {
  const readme = readFileSync('README.md', 'utf8')
  const [, page] = /cat > .*drill\.yaml <<'YAML'\n([\s\S]*?\n)YAML\n/.exec(readme) ?? []
  if (page === undefined) throw new Error('The README has no scenario')
  return page
}
