import { compareScenarios } from '../../../scripts/catalogue/comparisons.js'
import { measureCatalogue } from '../../../scripts/catalogue/measure.js'
import type { Measured } from '../../../scripts/catalogue/measured.js'
import { measureModelFiles } from '../../../scripts/catalogue/model-files.js'
import { measureModels } from '../../../scripts/catalogue/models.js'
import { lapsingPath, onPath } from '../../../scripts/catalogue/paths.js'
import { findingsInPlay } from '../../../scripts/catalogue/play-rules.js'
import { measureProse } from '../../../scripts/catalogue/prose.js'
import { measureRoles } from '../../../scripts/catalogue/roles.js'
import { minutesOf, type View, viewsOf } from '../../../scripts/catalogue/views.js'
import type { Post } from '../../../src/blueprints/bundle/script/utterances.js'
import type { Catalogue, Scenario, Words } from '../../../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import { t } from '../../helpers/file.js'

const catalogue = loadCatalogue()
const scenarios = [...catalogue.scenarios.values()]
const scenario = catalogue.scenarios.get('hr_workforce') as Scenario

const brokenRules = (measured: Measured[]) =>
  measured.filter(({ findings }) => findings.length > 0).map(({ rule }) => rule)

t.test('The built-in catalogue meets its content standard for every model value', async (t) => {
  const measured = measureCatalogue(catalogue, scenarios, { pairs: false })
  t.strictSame(
    measured.flatMap(({ findings }) => findings),
    [],
  )
  t.equal(scenarios.length, 12)
})

t.test('Each broken rule of the play is found', async (t) => {
  const arms = (size: number) =>
    viewsOf(catalogue, scenario, size).map((view) => onPath(view, lapsingPath(scenario)))
  /** Returns both arms after a change of the posts that `find` selects. */
  const changed = (
    find: (post: Post) => boolean,
    change: (post: Post, view: View) => Partial<Post>,
  ) =>
    arms(6).map((view) => {
      const all = view.posts.map((post) => (find(post) ? { ...post, ...change(post, view) } : post))
      return { ...view, posts: all, all }
    })
  const isError = ({ key }: Post) => key === 'error'
  const isLast = ({ key }: Post) => key === 'closing'
  const isDecision = ({ key }: Post) => key === 'decision_1'
  const isOpening = ({ line }: Post) => line.kind === 'history'
  const answer = (post: Post, text: string) => [
    { ...post, key: `${post.key}/9`, text, at: post.at + 9 },
  ]
  const faulty: Record<string, View[]> = {
    'cause before effect': changed(isOpening, ({ at }) => ({ at: at + 60_000 })),
    'cause before effect in a drill': changed(isLast, ({ at }) => ({ at: Math.floor(at / 60) })),
    'a decision has its time': changed(isDecision, (post) => ({ replies: answer(post, 'No.') })),
    'own hours, no weekend': changed(isError, ({ at }) => ({ at: at + 12 * 60 })),
    'no member answers themselves': changed(isError, (post) => ({
      replies: answer(post, 'Me again.'),
    })),
    'no absent member is implied': arms(1).map((view) => ({
      ...view,
      posts: view.posts.map((post) => ({ ...post, text: 'Could the two of you look at it?' })),
    })),
    'what a drill needs is there': arms(6).map((view) => ({
      ...view,
      posts: view.posts.filter(({ key }) => key !== 'slip'),
    })),
    'no one is above the head of the firm': changed(isError, () => ({
      text: 'Someone above wants it.',
    })).map((view) => ({
      ...view,
      cast: view.cast.map((member) => ({
        ...member,
        role: { ...member.role, seniority: 'executive' as const },
      })),
    })),
    'no quiet day in the hour of an incident': changed(isError, () => ({ text: 'A quiet day.' })),
    'no one from outside in the corridor': changed(isError, () => ({
      text: 'In the corridor, shift leads ask for news.',
    })).map((view) => ({ ...view, scenario: { ...scenario, scenario_type: 'crisis_response' } })),
    'no one posts after being out of reach': changed(isError, () => ({
      text: "I can't be reached until tomorrow.",
    })),
    'no one accuses themselves': changed(isError, () => ({ text: "That's my fault." })),
    'clean texts': changed(isError, () => ({ text: 'see  {lead}' })),
    'nothing twice': changed(isError, (_, { posts }) => ({ text: posts[0]?.text ?? '' })),
  }
  const minutes = minutesOf(arms(6))
  const inMinute = (minute: number) => new Map(minutes).set('slip', minute)
  const early = {
    'one ask at a time': inMinute(0).set('reception', 20).set('decision_1', 21),
    'those who ask wait in silence': inMinute((minutes.get('request') ?? 0) + 1),
  }
  for (const [rule, other] of Object.entries(early)) {
    const found = findingsInPlay(arms(6), { minutes: other })
    t.ok(
      found.some((one) => one.rule === rule),
      rule,
    )
  }
  t.strictSame(findingsInPlay(arms(6)), [])
  for (const [rule, views] of Object.entries(faulty)) {
    const found = findingsInPlay(views).filter((one) => one.rule === rule)
    t.ok(found.length > 0, rule)
    const type = views[0]?.scenario.scenario_type
    t.match(found[0], { scenario: type, arm: 'control', message: String })
  }
})

/** The scenario with different lines. */
function withLines(
  change: (line: Scenario['story'][number]) => Partial<Scenario['story'][number]>,
): Scenario {
  return { ...scenario, story: scenario.story.map((line) => ({ ...line, ...change(line) })) }
}

t.test('Each broken rule of the prose is found', async (t) => {
  const withText = (text: Words) => withLines(({ id }) => (id === 'error' ? { text } : {}))
  const withArms = (control: string, intervention: string) =>
    withText({ arm: { control, intervention } })
  const filler = 'what was said in the corridor by the people who stood there all afternoon'
  const faulty: [string, Scenario][] = [
    ['root lines of the story on a path', { ...scenario, story: scenario.story.slice(0, 12) }],
    [
      'words of the story on a path',
      withLines(() => ({ text: 'Nothing to say in eight short words today.' })),
    ],
    ['texts of less than 5 or more than 40 words', withText('Too short.')],
    [
      'channels',
      {
        ...scenario,
        channels: [...scenario.channels, { key: 'more', channel_name: 'more', purpose: 'more' }],
      },
    ],
    [
      'lines that no path reaches',
      withLines(({ id }) => (id === 'slip' ? { from: 'dispatcher', otherwise: undefined } : {})),
    ],
    ['somebody, anybody, nobody, everybody', withText('Somebody! '.repeat(7).trim())],
    ['sums that are wrong', withText('We know that 7 plus 8 is 16, and that is a lot.')],
    [
      'sentences of more than 25 words beside the play',
      { ...scenario, description: `It is ${'so '.repeat(25)}long.` },
    ],
    [
      'reading ease after Flesch beside the play',
      {
        ...scenario,
        beats: Array.from({ length: 300 }, () => ({
          ...(scenario.beats?.[0] as NonNullable<Scenario['beats']>[number]),
          learning_goal: 'Organizational considerations necessitate administrative deliberation.',
        })),
      },
    ],
    ['posts of one arm with more questions', withArms('It is so. Who goes?', 'It is so. We go.')],
    ['posts of one arm with more instructions', withArms('Please read it.', 'We have read it.')],
    ['posts of one arm with more figures', withArms('We have read 12.', 'We have read it.')],
    ['incidents', withLines(({ kind }) => (kind === 'incident' ? { kind: 'work' } : {}))],
    ['requests', withLines(({ kind }) => (kind === 'request' ? { kind: 'work' } : {}))],
    [
      'decision points',
      withLines(({ kind }) => (kind === 'decision_point' ? { kind: 'work' } : {})),
    ],
    ['expectations beside them', withLines(() => ({ expectation: undefined }))],
    ['repeated five-word sequences', withLines(() => ({ text: `They asked again ${filler}.` }))],
    [
      'posts that differ between the arms',
      withLines(() => ({ text: `Word for word ${filler}.`, replies: [] })),
    ],
    [
      'posts of one arm that are longer',
      withText({
        arm: {
          control: `Short, and ${filler}.`,
          intervention: `Long, longer, ${filler}, ${filler}.`,
        },
      }),
    ],
    ['posts of one arm alone', withLines(({ id }) => (id === 'slip' ? { arm: 'control' } : {}))],
    [
      'numbers and quotations outside the ledger',
      withText("Ninety-nine people have written since 'we told you so' was said."),
    ],
    [
      'clock times, weekdays, months',
      withText('They wrote at 9:40 on Tuesday, and then nothing more came.'),
    ],
    ['thanks by name', withText('Thank you very much for all of this, dear {owner}, indeed.')],
    ['parts that a drill lacks', { ...scenario, run_sheet: scenario.run_sheet?.slice(1) }],
    ...(['situation', 'solo', 'artefacts', 'observer', 'debrief'] as const).map(
      (part): [string, Scenario] => [
        'parts that a drill lacks',
        { ...(catalogue.scenarios.get('crisis_response') as Scenario), [part]: undefined },
      ],
    ),
  ]
  for (const [rule, other] of faulty)
    t.ok(brokenRules(measureProse(catalogue, other)).includes(rule), rule)
})

t.test('Each broken rule of the models is found', async (t) => {
  const mute: Catalogue = {
    ...catalogue,
    models: Object.fromEntries(
      Object.entries(catalogue.models).map(([field, values]) => [
        field,
        values.map((model) => ({ ...model, lines: [], replies: [] })),
      ]),
    ) as unknown as Catalogue['models'],
  }
  const plain = withLines(({ id, replies = [] }) => ({
    when: undefined,
    text: `Something about ${id} that is the same whatever the models are.`,
    replies: replies.map((reply, i) => ({
      ...reply,
      when: undefined,
      text: `The answer ${i} to ${id} is the same.`,
    })),
  }))
  const rules = brokenRules(measureModels(mute, plain))
  for (const rule of [
    'posts that a value changes',
    'five-word sequences kept when all eight change',
    'posts under low, active, high and isolated high strain',
    'cultures that decide alike',
  ]) {
    t.ok(rules.includes(rule), rule)
  }

  const [clan] = catalogue.models.org_culture
  const [line] = clan?.lines ?? []
  if (!clan || !line) throw new Error('There is no clan')
  const source = { title: 'Somebody, somewhere' }
  const talkative = {
    ...clan,
    source,
    lines: [{ ...line, text: 'As to the headcount, {topic_1} is one.' }],
  }
  const { org_culture } = catalogue.models
  const models = { ...catalogue.models, org_culture: [...org_culture, talkative] }
  t.strictSame(brokenRules(measureModelFiles({ ...catalogue, models }, scenarios)), [
    'nouns of a scenario in models',
    'verbs that agree with a topic, which may be plural',
    'sources without author, year, and publisher or journal',
  ])
})

t.test('Each overlap of two scenarios is found', async (t) => {
  const twin = { ...scenario, scenario_type: 'twin' }
  const both = {
    ...catalogue,
    scenarios: new Map([
      [scenario.scenario_type, scenario],
      ['twin', twin],
    ]),
  }
  t.strictSame(brokenRules(compareScenarios(both, [scenario, twin])), [
    'five-word sequences that two stories share',
    '(channel, hour, kind) that two stories share',
    'five-word sequences that bundles of equal models share',
    'three numbers in a row that two scenarios share',
  ])
})

t.test('Each broken rule of the cast is found', async (t) => {
  const cast = scenario.cast.map((role) => ({
    ...role,
    bio: 'She counts.',
    private_goal: undefined,
    seniority: role.slot === 'lead' ? ('junior' as const) : ('senior' as const),
  }))
  const alike = Array.from({ length: 40 }, (_, i) => `Ann${String.fromCharCode(97 + (i % 26))}`)
  const people = { ...catalogue.people, given_names: { feminine: alike, masculine: alike } }
  t.strictSame(brokenRules(measureRoles({ ...catalogue, people }, { ...scenario, cast })), [
    'pronouns in personas',
    'personas without a private goal and fact',
    'seniors who report to juniors',
    'names of the core too much alike',
  ])
})
