import { postsOf } from '../../../scripts/catalogue/bundle-posts.js'
import type { Pack } from '../../../scripts/catalogue/print/pack.js'
import { participantPack, trainerPack } from '../../../scripts/catalogue/print/print-pack.js'
import type { Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import { t } from '../../helpers/file.js'
import { catalogueWith, scenarioOfReadme } from '../../helpers/own-scenario.js'
import { linesIn, packOf, unescaped } from '../../helpers/packs.js'

const catalogue = loadCatalogue()
const scenarios = [...catalogue.scenarios.values()]
const countOf = (page: string, part: string) => page.split(part).length - 1

/** What all participants may read, before the start or when it is asked or shown. */
function openLines({ scenario, bundle, organization }: Pack): string {
  const { label, description, situation, channels, artefacts } = scenario
  const open = [
    { organization, label, description, situation, channels, artefacts },
    scenario.participant_roles?.map(({ title, brief }) => [title, brief]),
    scenario.decision_points?.map(({ question, options }) => [question, options]),
    bundle.characters.map(({ full_name, career_goals: { current_role, department } }) => [
      full_name,
      current_role,
      department,
    ]),
  ]
  return linesIn(open).join('\n')
}

type ParticipantRole = NonNullable<Scenario['participant_roles']>[number]

const ownLines = ({ private_information, goal }: ParticipantRole) =>
  linesIn([private_information, goal])

/**
 * Every other text of the scenario and its bundle, but for what one role knows. One of two words may
 * be in a page by chance.
 */
function trainersLines(pack: Pack, role?: ParticipantRole): string[] {
  const open = [openLines(pack), ...(role ? ownLines(role) : [])].join('\n')
  const all = new Set(linesIn([pack.scenario, pack.bundle]))
  return [...all].filter((line) => line.split(' ').length > 2 && !open.includes(line))
}

t.test("The participants' pack of each scenario has no text of the trainers", async (t) => {
  t.equal(scenarios.length, 12)
  for (const scenario of scenarios) {
    for (const arm of ['control', 'intervention'] as const) {
      const pack = packOf(catalogue, scenario, arm)
      const secret = trainersLines(pack)
      const page = unescaped(participantPack(pack))
      t.ok(secret.length > 300, `${scenario.scenario_type} has ${secret.length} texts for trainers`)
      t.strictSame(
        secret.filter((line) => page.includes(line)),
        [],
        `${scenario.scenario_type}, ${arm}`,
      )
      t.notMatch(page, /trainers only|Run sheet|Debrief|Rubric|observer’s|What follows|After the/)
    }
  }
})

t.test("With a role, it has what only this role knows, and nothing of the trainers'", async (t) => {
  for (const scenario of scenarios) {
    const pack = packOf(catalogue, scenario)
    for (const role of scenario.participant_roles ?? []) {
      const page = unescaped(participantPack(pack, role.role_key))
      const own = ownLines(role)
      t.strictSame(
        trainersLines(pack, role).filter((line) => page.includes(line)),
        [],
        `${scenario.scenario_type}, ${role.role_key}`,
      )
      t.strictSame(
        own.filter((line) => !page.includes(line)),
        [],
        'its own card is whole',
      )
      t.equal(countOf(page, 'class="card role"'), 1)
    }
  }
})

t.test(
  'It has the situation, the roles, the decisions with their costs, and the documents',
  async (t) => {
    for (const scenario of scenarios) {
      const pack = packOf(catalogue, scenario)
      const page = unescaped(participantPack(pack))
      const { situation, participant_roles = [], decision_points = [], artefacts = [] } = scenario
      const expected = [
        pack.organization,
        situation,
        participant_roles.map(({ title, brief }) => [title, brief]),
        decision_points.map(({ question, options }) => [
          question,
          options.map(({ label, cost }) => [label, cost]),
        ]),
        artefacts
          .filter(({ title }) => isShown(pack, title))
          .map(({ title, text }) => [title, text]),
      ]
      t.strictSame(
        linesIn(expected).filter((line) => !page.includes(line)),
        [],
      )
    }
  },
)

const isShown = ({ bundle, arm }: Pack, title: string) =>
  postsOf(bundle, arm).some(({ metadata }) => metadata.artefact?.title === title)

t.test("The trainers' pack of each scenario has each part", async (t) => {
  for (const scenario of scenarios) {
    const { participant_roles = [], decision_points = [], artefacts = [] } = scenario
    const pack = packOf(catalogue, scenario)
    const page = trainerPack(pack)
    t.equal(countOf(page, 'class="card role"'), participant_roles.length, 'a card for each role')
    t.equal(countOf(page, 'class="card decision"'), decision_points.length)
    const shown = artefacts.filter(({ title }) => isShown(pack, title))
    t.equal(countOf(page, 'class="document"'), shown.length)
    const { description, run_sheet, beats, observer, debrief, experiment } = scenario
    const expected = [
      [pack.organization, description, run_sheet?.map(({ facilitator }) => facilitator)],
      participant_roles.map(ownLines),
      observer?.map(({ watch }) => watch),
      experiment.rubric.map(({ question, scale }) => [
        question,
        scale.levels?.map(({ description: level }) => level),
      ]),
      decision_points.map(({ fallback }) => fallback),
      beats?.map(({ learning_goal, facilitator_note }) => [learning_goal, facilitator_note]),
      [beats?.map(({ debrief_question }) => debrief_question), debrief],
    ]
    const plain = unescaped(page)
    t.strictSame(
      linesIn(expected).filter((line) => !plain.includes(line)),
      [],
    )
    t.match(plain, /After the drill: /)
  }
})

t.test('It says what follows each option', async (t) => {
  for (const scenario of scenarios) {
    const pack = packOf(catalogue, scenario, 'intervention')
    const kinds = ['acknowledgement', 'consequence', 'fallback']
    const following = postsOf(pack.bundle, pack.arm)
      .filter(({ metadata }) => kinds.includes(metadata.kind ?? ''))
      .flatMap(({ content, thread_replies }) => [
        content,
        ...thread_replies.map((reply) => reply.content),
      ])
    t.ok(following.length > 20)
    const [, part = ''] = trainerPack(pack).split('class="trainers outcomes"')
    t.strictSame(
      following.filter((text) => !unescaped(part).includes(text)),
      [],
    )
  }
})

t.test('A reply that depends on a decision is under its option only', async (t) => {
  const pack = packOf(catalogue, catalogue.scenarios.get('hr_workforce') as Scenario)
  const [, ...parts] = unescaped(trainerPack(pack)).split('<h4>If ')
  const withText = parts.filter((part) => part.includes('Packing keeps its weekend shift'))
  t.match(withText, [
    /^they choose: Give them to the departments in which most work stops without them</,
  ])
  t.equal(withText.length, 1)
  t.match(withText[0], /Minute 54, .+ in #people-team, to /)
})

t.test('Both packs need nothing else, and escape what they print', async (t) => {
  const own = scenarioOfReadme()
    .replace('label: Evacuation', `label: '<img src="x"> & more'`)
    .replace('label: Open it,', `label: '</style><script>alert(1)</script>',`)
  const withOwn = catalogueWith(own)
  const drill = withOwn.scenarios.get('evacuation') as Scenario
  const packs = [...scenarios.map((one) => packOf(catalogue, one)), packOf(withOwn, drill)]
  for (const pack of packs) {
    for (const page of [trainerPack(pack), participantPack(pack)]) {
      t.match(page, /^<!doctype html>\n<html lang="en">/)
      t.notMatch(page, /<(script|link|img|iframe|object)\b|<[^>]*\s(src|href|on\w+)=|url\(|@import/)
      t.notMatch(page, /\bundefined\b|\bnull\b|\[object /)
      t.match(page, 'Müller &amp; Söhne')
    }
  }
  const escaped = trainerPack(packOf(withOwn, drill))
  t.match(escaped, '&lt;img src=&quot;x&quot;&gt; &amp; more')
  t.match(escaped, '&lt;/style&gt;&lt;script&gt;')
})
