import type { Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { byTime, type Post, postsOf } from '../bundle-posts.js'
import { dependenceText } from './dependence.js'
import { html, type Markup, type Part } from './html.js'
import type { Pack } from './pack.js'

/** What the trainer does, hands out and listens for, minute by minute. */
export function runSheet(pack: Pack): Markup {
  const { run_sheet = [], beats = [] } = pack.scenario
  const posts = postsOf(pack.bundle, pack.arm).sort(byTime)
  return html`<section class="trainers run-sheet">
<h2>Run sheet</h2>
${
  run_sheet.length > 0 &&
  html`<table>
<thead><tr><th class="minutes">Minutes</th><th>Part</th><th>What you do</th></tr></thead>
<tbody>${run_sheet.map(
    ({ from_minute, to_minute, phase, facilitator }) =>
      html`<tr><td class="minutes">${from_minute} to ${to_minute}</td><td>${wordsOf(phase)}</td><td>${facilitator}</td></tr>`,
  )}</tbody>
</table>`
}
${handouts(pack.scenario, posts)}
${beats.length > 0 && beatNotes(beats, posts)}
</section>`
}

/** The minute at which each decision card and each document is due. */
function handouts({ decision_points = [] }: Scenario, posts: Post[]): Markup | undefined {
  const rows = new Map<string, { cells: Part[]; said: Post['metadata'][] }>()
  for (const { metadata } of posts) {
    const { kind, beat, artefact, drill_minute } = metadata
    const minute = drill_minute ?? 'before'
    const decision = decision_points.find((one) => kind === 'decision_point' && one.beat === beat)
    for (const cells of [
      ...(artefact ? [[minute, 'document', artefact.title]] : []),
      ...(decision ? [[minute, 'decision', decision.question]] : []),
    ]) {
      const row = rows.get(cells.join()) ?? { cells, said: [] }
      row.said.push(metadata)
      rows.set(cells.join(), row)
    }
  }
  if (rows.size === 0) return undefined
  return html`<h3>What to hand out, and when</h3>
<table>
<thead><tr><th class="minutes">Minute</th><th>Sheet</th><th>Which one</th></tr></thead>
<tbody>${[...rows.values()].map(({ cells: [minute, what, name], said }) => {
    const only = dependenceText(said, decision_points)
    return html`<tr><td class="minutes">${minute}</td><td>${what}</td><td>${name}${only && ` (${only})`}</td></tr>`
  })}</tbody>
</table>`
}

function beatNotes(beats: NonNullable<Scenario['beats']>, posts: Post[]): Markup {
  const minuteOf = (beat: string) =>
    posts.find(({ metadata }) => metadata.beat === beat)?.metadata.drill_minute ?? 'before'
  return html`<h3>What the parts of the story are for</h3>
<table class="beats">
<thead><tr><th>Minute</th><th>Part and goal</th><th>Trap</th><th>Hint</th><th>If nothing happens</th></tr></thead>
<tbody>${beats.map(
    ({ beat, learning_goal, facilitator_note: { trap, hint, fallback } }) =>
      html`<tr><td>${minuteOf(beat)}</td><td><b>${wordsOf(beat)}</b>: ${learning_goal}</td><td>${trap}</td><td>${hint}</td><td>${fallback}</td></tr>`,
  )}</tbody>
</table>`
}

/** A key as people read it. */
export const wordsOf = (key: string): string => key.replaceAll('_', ' ')
