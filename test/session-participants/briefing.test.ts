import { sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import type { FrozenScenario } from '../../src/database/tables/frozen-scenario.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { app, call, db, addMember } = service
const workplace = await openWorkplace(service)
const { admin, organization_id, hr, rater, ben, cleo, cast_ids, session, sessionWith } = workplace

const brief = ({ token }: Member, session_id: string) =>
  call('getBriefing', { token, params: { session_id } })
const participants = [{ user_id: ben.user_id, role_key: 'case_handler' }, { user_id: cleo.user_id }]
const scenario = app.catalogue.scenarios.get('hr_workforce')
const own = scenario?.participant_roles?.find(({ role_key }) => role_key === 'case_handler')

/** Adds a bot to the cast, with an API key. */
async function addCastBot(): Promise<Member> {
  const bot = await addMember(organization_id, 'bot')
  const template = { scenario_name: 'hr_workforce', channel_name: `with-${bot.username}` }
  const messages = [{ sender_character_id: bot.user_id, content: 'Morning.', offset_hours: 0 }]
  const body = { ...template, message_templates: messages }
  await call('createChannelTemplate', { token: admin.token, body })
  return bot
}

const placeOf = ({ user_id }: Member) => ({ user_id, full_name: null })

t.test('getBriefing', async (t) => {
  t.test('names the speakers and channels, so that a page can show each message', async (t) => {
    const session_id = await sessionWith([])
    const params = { session_id }
    const { body: found } = await call('getSession', { token: hr.token, params })
    const [{ conversation_id }] = found.conversations
    const message = { conversation_id, content: 'Here', client_message_id: '1' }
    await call('postSessionMessage', { token: ben.token, params, body: message })
    const { body } = await brief(ben, session_id)
    t.equal(body.joined, true)
    t.equal((await brief(cleo, session_id)).body.joined, false)
    const { body: messages } = await call('listSessionMessages', { token: ben.token, params })
    const speakers = [
      ...body.participants.map((one: Schema<'BriefedParticipant'>) => one.user_id),
      ...body.cast.map((one: Schema<'BriefedCharacter'>) => one.character_id),
    ]
    const places = body.channels.map((one: Schema<'BriefedChannel'>) => one.conversation_id)
    t.equal(places.length, found.conversations.length)
    for (const one of messages) {
      t.ok(speakers.includes(one.sender_id) && places.includes(one.conversation_id))
    }
    t.equal(messages.length, 1)
  })

  t.test('shows participants their role, the other people and the channels', async (t) => {
    const session_id = await session({ participants, name: 'Early shift' })
    const { status, body } = await brief(ben, session_id)
    t.equal(status, 200)
    const { label, description } = scenario ?? {}
    t.equal((await brief(hr, session_id)).body.description, description)
    const open = { session_id, name: 'Early shift', status: 'draft', starts_at: null }
    t.match(body, {
      ...open,
      scenario_name: 'hr_workforce',
      label,
      description: null,
      facilitator: null,
    })
    t.strictSame(body.role, own)
    t.match(body.participants, [
      {
        ...placeOf(ben),
        role_key: 'case_handler',
        role_title: own?.title,
        display_name: own?.title,
      },
      { ...placeOf(cleo), role_key: null, role_title: null, display_name: 'Participant 2' },
    ])
    const channel = { conversation_id: null, channel_name: 'people-team', purpose: /people team/ }
    t.match(body.channels[0], channel)
    const met = body.cast.map(({ character_id }: { character_id: string }) => character_id)
    t.strictSame([...met].sort(), [...cast_ids].sort())
    for (const one of body.cast) t.ok(one.full_name && one.title && one.department)
    t.equal((await brief(cleo, session_id)).body.role, null)
  })

  t.test('reads no more of the cast than it shows', async (t) => {
    const bot = await addCastBot()
    const session_id = await session({ participants })
    const career_goals = { current_role: 'Clerk', career_goal: 'x'.repeat(10_000) }
    const params = { user_id: bot.user_id }
    await call('updateUser', { token: admin.token, params, body: { career_goals } })
    let goals = 0
    const { dbOf } = app
    app.dbOf = (key) =>
      dbOf(key).withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          goals += JSON.stringify(result.rows).split('x'.repeat(10_000)).length - 1
          return result
        },
      })
    t.teardown(() => {
      app.dbOf = dbOf
    })
    const { body } = await brief(ben, session_id)
    t.match(
      body.cast.find((one: { character_id: string }) => one.character_id === bot.user_id),
      { title: 'Clerk', department: null },
    )
    t.equal(goals, 0)
  })

  t.test('has empty parts for a session of a version that did not know them', async (t) => {
    const session_id = await session({ participants }, 'startSession')
    const added = ['situation', 'artefacts', 'observer', 'debrief']
    const { scenario: frozen } = await db
      .updateTable('simulation_sessions')
      .set({ scenario: sql<FrozenScenario>`scenario - ${added}::text[]` })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session_id)
      .returning('scenario')
      .executeTakeFirstOrThrow()
    t.ok(frozen && added.every((part) => !(part in frozen)))
    const { status, body } = await brief(admin, session_id)
    const facilitator = { artefacts: [], debrief: [] }
    t.match({ status, body }, { status: 200, body: { situation: null, observer: [], facilitator } })
  })

  t.test('hides the private information of others, and the future of the session', async (t) => {
    const session_id = await session({ participants, rater_ids: [rater.user_id] }, 'startSession')
    await db
      .updateTable('simulation_sessions')
      .set({ arm: 'intervention' })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session_id)
      .execute()
    const { beats = [], decision_points = [], run_sheet = [], cast = [] } = scenario ?? {}
    const roles = scenario?.participant_roles ?? []
    const ofTrainers = [
      ...beats.flatMap(({ learning_goal, debrief_question }) => [learning_goal, debrief_question]),
      ...decision_points.flatMap(({ question, fallback }) => [question, fallback]),
      ...run_sheet.map(({ facilitator }) => facilitator),
      ...cast.flatMap(({ private_goal, private_fact }) => [private_goal ?? [], private_fact ?? []]),
      ...(scenario?.experiment.rubric ?? []).flatMap(({ criterion, question }) => [
        criterion,
        question,
      ]),
    ].flat()
    const ofOthers = roles.flatMap(({ private_information, goal }) => [private_information, goal])
    const ofBen = [own?.private_information, own?.goal]
    t.ok(ofTrainers.length > 20 && ofOthers.length >= 4)
    const bot = await addCastBot()
    const botsOwn = await session({}, 'startSession')
    for (const [member, id, isBen] of [
      [ben, session_id, true],
      [cleo, session_id, false],
      [rater, session_id, false],
      [bot, botsOwn, false],
    ] as const) {
      const { status, body } = await brief(member, id)
      t.equal(status, 200)
      const text = JSON.stringify(body)
      const hidden = ofOthers.filter((one) => !isBen || !ofBen.includes(one))
      const found = [...ofTrainers, ...hidden].filter((one) => {
        return text.includes(JSON.stringify(one).slice(1, -1))
      })
      t.strictSame(found, [])
      t.notMatch(text, /"arm"|intervention/)
      t.strictSame([body.facilitator, isBen ? null : body.role], [null, null])
    }
  })

  t.test('shows everything to trainers', async (t) => {
    const both = [...participants, { user_id: hr.user_id, role_key: 'case_handler' }]
    const session_id = await session({ participants: both })
    const { beats, decision_points, run_sheet, participant_roles: roles } = scenario ?? {}
    const { body } = await brief(admin, session_id)
    t.match(body.facilitator, { roles, beats, decision_points, run_sheet })
    const criteria = body.facilitator.rubric.map(
      ({ criterion }: { criterion: string }) => criterion,
    )
    const last = scenario?.experiment.rubric.map(({ criterion }) => criterion) ?? []
    t.strictSame(criteria.slice(-last.length), last)
    t.ok(criteria.length > last.length, 'the evaluation model adds to it')
    t.equal(body.role, null)
    t.strictSame((await brief(hr, session_id)).body.role, own, 'a trainer who takes part has one')
  })

  t.test(
    'has the situation for all, and documents and the sheets of trainers for them',
    async (t) => {
      await call('applyQuickSetup', {
        token: admin.token,
        body: { scenario_type: 'crisis_response', team_size: 3 },
      })
      const places = [{ user_id: ben.user_id, role_key: 'press_officer' }]
      const rater_ids = [rater.user_id]
      const fields = { scenario_name: 'crisis_response', participants: places, rater_ids }
      const session_id = await session(fields, 'startSession')
      const crisis = app.catalogue.scenarios.get('crisis_response')
      const { situation, observer, debrief, artefacts = [] } = crisis ?? {}
      const [ours, theirs] = [
        (await brief(admin, session_id)).body,
        (await brief(ben, session_id)).body,
      ]
      t.strictSame([ours.situation, theirs.situation], [situation, situation])
      t.equal(theirs.facilitator, null)
      t.match(ours, { observer, facilitator: { debrief } })
      t.strictSame(theirs.observer, [])
      const { body: rated } = await brief(rater, session_id)
      t.match(rated, { observer, facilitator: null })
      t.strictSame(
        ours.facilitator.artefacts,
        artefacts.map(({ title, text }) => ({ title, text })),
      )
      t.notMatch(JSON.stringify(theirs), /on Monday I will|CELL 7, WALL SENSOR/)
    },
  )

  t.test('stays the same after the start', async (t) => {
    const session_id = await session({ participants }, 'startSession')
    const before = (await brief(admin, session_id)).body
    const bot = await addCastBot()
    const body = { scenario_type: 'hr_workforce', evaluation_model: 'kirkpatrick_four_levels' }
    await call('applyQuickSetup', { token: admin.token, body })
    t.strictSame((await brief(admin, session_id)).body, before)
    t.equal((await brief(bot, session_id)).status, 404, 'a later character is not in it')

    const later = (await brief(admin, await session())).body
    t.match(JSON.stringify(later.facilitator.rubric), /"Reaction"/)
    t.notMatch(JSON.stringify(later.facilitator.rubric), /\{\w+\}/, 'every variable is filled in')
    t.match(JSON.stringify(later.cast), bot.user_id)
  })

  t.test('contains only the name of a scenario that is not set up', async (t) => {
    const scenario_name = 'night_shift'
    const template = { scenario_name, channel_name: 'home', message_templates: [] }
    await call('createChannelTemplate', { token: admin.token, body: template })
    const session_id = await session({ scenario_name })
    const { body } = await brief(admin, session_id)
    const none = { label: 'Night shift', description: null, cast: [], channels: [], role: null }
    t.match(body, { ...none, facilitator: { roles: [], beats: [], rubric: [], run_sheet: [] } })
    await call('applyQuickSetup', { token: admin.token, body: { scenario_type: scenario_name } })
    const generic = (await brief(admin, session_id)).body
    t.equal(generic.label, 'Night shift', 'also where it is played as the generic one')
    t.ok(generic.cast.length > 0)
  })

  t.test('counts senders of messages as cast, but not users in metadata', async (t) => {
    const [bot, replying, named] = await Promise.all(
      [1, 2, 3].map(() => addMember(organization_id, 'bot')),
    )
    const line = { sender_character_id: bot?.user_id, content: 'Morning.' }
    const reply = { ...line, sender_character_id: replying?.user_id, offset_minutes: 1 }
    const metadata = { note: { sender_character_id: named?.user_id } }
    const message = { ...line, offset_hours: 0, metadata, thread_replies: [reply] }
    const scenario_name = 'cast of two'
    const body = { scenario_name, channel_name: 'home', message_templates: [message] }
    await call('createChannelTemplate', { token: admin.token, body })
    const session_id = await session({ scenario_name })
    const { cast } = (await brief(admin, session_id)).body
    const ids = cast.map(({ character_id }: { character_id: string }) => character_id)
    t.strictSame(ids.toSorted(), [bot?.user_id, replying?.user_id].toSorted())
    const listed = async (one?: Member) =>
      (await call('listSessions', { token: one?.token, query: { scenario_name } })).body.length
    t.strictSame([await listed(bot), await listed(replying), await listed(named)], [1, 1, 0])
  })

  t.test('is unknown to users without a role in the session', async (t) => {
    const session_id = await session({ participants: [] })
    for (const member of [ben, rater, await addMember(organization_id, 'bot')]) {
      t.match(await brief(member, session_id), { status: 404, body: { code: 'session_not_found' } })
    }
  })
})
