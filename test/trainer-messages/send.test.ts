import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { openPrivateWords } from '../helpers/private-words.js'
import { auditEvents, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { admin, organization_id, hr, rater, ben, cleo, ask, answer, list, contentsOf, open } =
  await openPrivateWords(service)

/** Ends a session as if it had ended some minutes ago. */
async function endMinutesAgo(session_id: string, minutes: number) {
  await call('endSession', { token: hr.token, params: { session_id } })
  const ended_at = new Date(Date.now() - minutes * 60_000).toISOString()
  await db
    .updateTable('simulation_sessions')
    .set({ ended_at })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', session_id)
    .execute()
}

t.test('askTrainer', async (t) => {
  t.test('reaches trainers before anyone has joined, and records no words', async (t) => {
    const { session_id, ofBen } = await open()
    const { status, body } = await ask(ben, session_id, 'May I\ncall payroll?')
    t.equal(status, 201)
    t.match(body, {
      seq: 1,
      ...ofBen,
      sender_id: ben.user_id,
      from_trainer: false,
      client_message_id: null,
      content: 'May I\ncall payroll?',
      elapsed_ms: null,
      created_at: /Z$/,
    })
    for (const one of [hr, admin, ben]) t.strictSame((await list(one, session_id)).body, [body])
    const [event] = await auditEvents(call, admin, { event_type: 'trainer_asked' })
    const metadata = { trainer_message_id: body._id, assignment_id: ofBen.assignment_id, seq: 1 }
    t.match(event, { case_id: session_id, actor_id: ben.user_id, metadata })
    t.notMatch(JSON.stringify(event), 'payroll')
  })

  t.test('is allowed only for participants, including a trainer who takes part', async (t) => {
    const { session_id } = await open()
    for (const one of [hr, rater]) {
      const { status, body } = await ask(one, session_id, 'I?')
      t.equal(status, 409)
      t.match(body, { code: 'not_a_participant', detail: 'Only participants can ask the trainers' })
    }
    t.match(await ask(await addMember(organization_id, 'employee'), session_id, 'I?'), {
      status: 404,
      body: { code: 'session_not_found' },
    })
    const params = { session_id, user_id: hr.user_id }
    await call('addParticipant', { token: admin.token, params, body: {} })
    t.match(await ask(hr, session_id, 'I?'), { status: 201, body: { from_trainer: false } })
  })

  t.test('sends once under a client_message_id, and refuses other words under it', async (t) => {
    const { session_id, ofBen, ofCleo } = await open()
    const more = { client_message_id: 'q-1' }
    const { body } = await ask(ben, session_id, 'May I?', more)
    t.equal(body.client_message_id, 'q-1')
    const again = await ask(ben, session_id, 'May I?', more)
    t.equal(again.status, 201)
    t.strictSame(again.body, body)
    t.match(await ask(ben, session_id, 'May we?', more), {
      status: 409,
      body: { code: 'client_message_id_used' },
    })
    t.match(await ask(cleo, session_id, 'May I?', more), { status: 201, body: { seq: 2 } })
    t.equal((await answer(hr, ofBen, 'Yes.', more)).status, 201)
    const elsewhere = await answer(hr, ofCleo, 'Yes.', more)
    t.match(elsewhere, { status: 409, body: { code: 'client_message_id_used' } })
    await endMinutesAgo(session_id, 61)
    t.strictSame(
      (await ask(ben, session_id, 'May I?', more)).body,
      body,
      'a repeat gets the same response after the end',
    )
    const events = await auditEvents(call, admin, { case_id: session_id })
    t.equal(events.filter(({ event_type }) => event_type === 'trainer_asked').length, 2)
  })

  t.test('has the time on the clock of the session, which stands still in a pause', async (t) => {
    const { session_id } = await open('startSession')
    const { body } = await call('pauseSession', { token: hr.token, params: { session_id } })
    const { elapsed_ms } = body.clock
    t.type(elapsed_ms, 'number')
    t.match((await ask(ben, session_id, 'May I?')).body, { elapsed_ms })
    t.match((await ask(ben, session_id, 'May I now?')).body, { elapsed_ms })
  })

  t.test('is possible until an hour after the end', async (t) => {
    const { session_id, ofBen } = await open('startSession')
    await endMinutesAgo(session_id, 59)
    t.equal((await ask(ben, session_id, 'And now?')).status, 201)
    t.equal((await answer(hr, ofBen, 'Now we talk.')).status, 201)
    await endMinutesAgo(session_id, 61)
    const refused = { status: 409, body: { code: 'session_ended', current_status: 'completed' } }
    t.match(await ask(ben, session_id, 'Hello?'), refused)
    t.match(await answer(hr, ofBen, 'Hello.'), refused)
    t.strictSame(await contentsOf(ben, session_id), ['And now?', 'Now we talk.'])
  })

  t.test('refuses an empty, blank or too long text', async (t) => {
    const { session_id } = await open()
    for (const content of ['', ' \n', 'a'.repeat(10_001)]) {
      t.equal((await ask(ben, session_id, content)).status, 422)
    }
    t.equal((await ask(ben, session_id, 'I?', { client_message_id: '' })).status, 422)
  })
})

t.test('answerParticipant', async (t) => {
  t.test('reaches one participant and all trainers', async (t) => {
    const { session_id, ofBen, ofCleo } = await open()
    const { status, body } = await answer(hr, ofBen, 'Look at the roster.')
    t.equal(status, 201)
    const sender = { sender_id: hr.user_id, from_trainer: true, to_all: false }
    t.match(body, { seq: 1, ...ofBen, ...sender })
    await answer(admin, ofCleo, 'Wait for Ben.')
    t.strictSame(await contentsOf(ben, session_id), ['Look at the roster.'])
    t.strictSame(await contentsOf(cleo, session_id), ['Wait for Ben.'])
    const all = ['Look at the roster.', 'Wait for Ben.']
    t.strictSame(await contentsOf(hr, session_id), all)
    const [event] = await auditEvents(call, admin, { event_type: 'participant_answered' })
    const metadata = { assignment_id: ofCleo.assignment_id, seq: 2 }
    t.match(event, { actor_id: admin.user_id, case_id: session_id, metadata })
    t.notMatch(JSON.stringify(event), 'Wait')
  })

  t.test('marks words to all participants, and participants cannot', async (t) => {
    const { session_id, ofBen } = await open()
    const toAll = { to_all: true }
    const sent = await answer(hr, ofBen, 'Five minutes left.', toAll)
    const asked = await ask(ben, session_id, 'May I?', toAll)
    t.match([sent.body, asked.body], [{ to_all: true }, { to_all: false }])
    t.strictSame((await list(ben, session_id)).body, [sent.body, asked.body])
    t.equal((await answer(hr, ofBen, 'Stop.', { to_all: 'yes' })).status, 422)
  })

  t.test('shows the current name of the sender', async (t) => {
    const { session_id, ofBen } = await open()
    await answer(hr, ofBen, 'Look at the roster.')
    const params = { user_id: hr.user_id }
    await call('updateUser', { token: admin.token, params, body: { full_name: 'Hedda Roth' } })
    t.match((await list(ben, session_id)).body, [{ sender_name: 'Hedda Roth' }])
  })

  t.test('is refused for a place outside the session', async (t) => {
    const { session_id, ofBen } = await open()
    const { ofBen: elsewhere } = await open()
    for (const assignment_id of [elsewhere.assignment_id, createId(), 'nobody']) {
      const refused = await answer(hr, { session_id, assignment_id }, 'Yes.')
      t.match(refused, { status: 404, body: { code: 'place_not_found' } })
    }
    const foreign = await registerAdmin()
    t.match(await answer(foreign, ofBen, 'Yes.'), { body: { code: 'session_not_found' } })
  })

  t.test('does not reach a participant who was removed', async (t) => {
    const { session_id, ofBen } = await open('startSession')
    await ask(ben, session_id, 'May I go?')
    const params = { session_id, user_id: ben.user_id }
    await call('removeParticipant', { token: hr.token, params })
    t.match(await answer(hr, ofBen, 'Yes.'), { status: 404, body: { code: 'place_not_found' } })
    t.equal((await list(ben, session_id)).status, 404)
    t.strictSame(await contentsOf(hr, session_id), ['May I go?'], 'the words stay')
  })
})
