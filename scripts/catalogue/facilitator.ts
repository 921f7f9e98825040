import type { Scenario } from '../../src/blueprints/catalogue/entries.js'

/** The parts that only the facilitator reads, as Markdown paragraphs. */
export function facilitatorParts(scenario: Scenario): string[] {
  const { experiment, intervention, decision_points = [], beats = [], run_sheet = [] } = scenario
  const { observer = [], debrief = [] } = scenario
  return [
    '## For the facilitator',
    `Hypothesis: ${experiment.hypothesis}`,
    `Intervention: ${intervention ?? 'none'}`,
    `Measures: ${experiment.measures.map(({ label }) => label).join('; ')}`,
    '### Run sheet',
    run_sheet
      .map((one) => `- ${one.from_minute} to ${one.to_minute}, ${one.phase}: ${one.facilitator}`)
      .join('\n'),
    '### Decisions',
    ...decision_points.map(decision),
    '### Beats',
    ...beats.map(beatNotes),
    '### Rubric',
    ...experiment.rubric.map(rubricItem),
    ...(observer.length > 0 ? ["### The observer's sheet", observer.map(note).join('\n')] : []),
    ...(debrief.length > 0 ? ['### Debrief', debrief.map((one) => `- ${one}`).join('\n')] : []),
  ]
}

type Entry<List extends unknown[] | undefined> = NonNullable<List>[number]

const note = ({ from_minute, to_minute, watch }: Entry<Scenario['observer']>) =>
  `- ${from_minute} to ${to_minute}: ${watch}`

const decision = (point: Entry<Scenario['decision_points']>) =>
  [
    `**Decision (${point.beat})**: ${point.question} ${point.deadline_minutes} minutes. Who decides: ${point.decided_by.join(', ') || 'anyone who takes part'}.`,
    ...point.options.map(({ option, label, cost }) => `- ${option}: ${label}. It costs: ${cost}`),
    `- without a decision, ${point.fallback_option}: ${point.fallback}`,
  ].join('\n')

const beatNotes = ({
  beat,
  learning_goal,
  debrief_question,
  facilitator_note: note,
}: Entry<Scenario['beats']>) =>
  [
    `**${beat}**: ${learning_goal}`,
    `- debrief: ${debrief_question}`,
    `- trap: ${note.trap}`,
    `- hint: ${note.hint}`,
    `- if nothing happens: ${note.fallback}`,
  ].join('\n')

const rubricItem = ({
  criterion,
  question,
  rater,
  evidence,
  scale,
}: Entry<Scenario['experiment']['rubric']>) =>
  [
    `**${criterion}** (${[rater, evidence].filter(Boolean).join(', ')}): ${question}`,
    ...(scale.levels ?? []).map((level) => `- ${level.value} ${level.label}: ${level.description}`),
  ].join('\n')
