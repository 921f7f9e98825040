import type { Schema } from '../../src/contract.js'
import { openDecisions } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, addMember } = service
const { admin, ben, cleo, play, decide, decisions, giveRole, ...stage } =
  await openDecisions(service)
const { change, miss, pass, post, texts, waitForTexts } = stage

type Listed = Schema<'SessionDecision'>
const brief = ({ beat, status, option }: Listed) => [beat, status, option]

t.test('makeDecision', async (t) => {
  t.test('posts the decision and its acknowledgement, and later what follows', async (t) => {
    const session = await play()
    const made = await decide(ben, session, 'recall', { option: 'all', reason: 'It was warm.' })
    t.equal(made.status, 200)
    t.match(made.body, {
      status: 'decided',
      option: 'all',
      made_by: ben.user_id,
      on_behalf: false,
      reason: 'It was warm.',
      deadline_at: null,
    })
    t.strictSame(await texts(session), [
      'Cell 7 was warm.',
      'What do we do?',
      'Recall it all.\nIt was warm.',
      'All of it, then.',
      'I call them.',
    ])
    await pass(session, 30)
    const all = await waitForTexts(session, 9)
    t.strictSame(all.slice(5), [
      'The ward has nothing left.',
      'Who is told first?',
      'The customers.',
      'It is over.',
    ])
  })

  t.test('posts no acknowledgement of another option', async (t) => {
    const session = await play()
    await decide(ben, session, 'recall', { option: 'wait' })
    t.strictSame((await texts(session)).slice(2), ['Wait.'])
  })

  t.test(
    'withholds the fallback and the lines of other options, each with its reason',
    async (t) => {
      const session = await play()
      await decide(ben, session, 'recall', { option: 'all' })
      await pass(session, 15)
      await waitForTexts(session, 7)
      const { counts } = (await call('getSession', { token: admin.token, params: session.params }))
        .body
      t.match(counts, {
        posted: 6,
        withheld: 2,
        messages: 7,
        decisions_made: 1,
        decisions_asked: 2,
      })
      const events = await auditEvents(service.call, admin, { event_type: 'message_withheld' })
      const reasons = events
        .filter(({ case_id }) => case_id === session._id)
        .map(({ metadata }) => metadata?.reason)
      t.strictSame(reasons.sort(), ['decided', 'not_chosen'])
    },
  )

  t.test('is not replaced by a reply in the thread', async (t) => {
    const session = await play()
    const [{ message_id }] = (await decisions(ben, session)) as [Listed]
    await post(ben, session, { thread_id: message_id, content: 'What do you mean?' })
    await pass(session, 6)
    const [, , reply, fallback] = await waitForTexts(session, 4)
    t.strictSame([reply, fallback], ['What do you mean?', 'Time is up: we wait.'])
    t.match(await decisions(ben, session), [{ status: 'lapsed', option: 'wait', made_by: null }])
  })

  t.test('takes the fallback option at the deadline, and the story follows it', async (t) => {
    const session = await play()
    await pass(session, 15)
    const all = await waitForTexts(session, 5)
    t.strictSame(all.slice(2), ['Time is up: we wait.', 'Two had served it.', 'Who is told first?'])
    const late = await decide(ben, session, 'recall', { option: 'all' })
    t.match(late, {
      status: 409,
      body: { code: 'decision_lapsed', decision: { status: 'lapsed', option: 'wait' } },
    })
  })

  t.test('lets the asking character say the option when no fallback is prepared', async (t) => {
    const session = await play()
    await pass(session, 25)
    t.ok((await waitForTexts(session, 6)).includes('The customers.'))
    t.strictSame((await decisions(ben, session)).map(brief), [
      ['recall', 'lapsed', 'wait'],
      ['telling', 'lapsed', 'customers'],
    ])
  })

  t.test('is final, and returns the same for a repeated request of the same person', async (t) => {
    const session = await play()
    const first = await decide(ben, session, 'recall', { option: 'all' })
    const repeat = await decide(ben, session, 'recall', { option: 'all' })
    t.strictSame(repeat.body, first.body)
    const refused = { status: 409, body: { code: 'already_decided', decision: { option: 'all' } } }
    t.match(await decide(ben, session, 'recall', { option: 'wait' }), refused)
    t.match(await decide(cleo, session, 'recall', { option: 'all' }), refused)
    t.equal((await texts(session)).length, 5)
  })

  t.test('accepts only one of two concurrent decisions', async (t) => {
    const session = await play()
    const answers = await Promise.all([
      decide(ben, session, 'recall', { option: 'all' }),
      decide(cleo, session, 'recall', { option: 'wait' }),
    ])
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 409])
    const [winner] = answers.filter(({ status }) => status === 200)
    const [loser] = answers.filter(({ status }) => status === 409)
    t.equal(loser?.body.decision.option, winner?.body.option)
    t.strictSame(await decisions(ben, session), await decisions(cleo, session))
  })

  t.test('is refused after the deadline, even if nothing has been posted since', async (t) => {
    const session = await play()
    await miss(session, 5.01)
    const late = await decide(ben, session, 'recall', { option: 'all' })
    t.match(late, {
      status: 409,
      body: { code: 'decision_lapsed', decision: { option: 'wait' } },
    })
    t.strictSame((await waitForTexts(session, 3)).slice(2), ['Time is up: we wait.'])
  })

  t.test('is allowed only for the roles that decide', async (t) => {
    const session = await play({ decided_by: ['officer'] })
    const refused = await decide(ben, session, 'recall', { option: 'all' })
    t.match(refused, {
      status: 403,
      body: { code: 'not_yours_to_decide', required_role_keys: ['officer'] },
    })
    await giveRole(session, cleo, 'officer')
    t.equal((await decide(cleo, session, 'recall', { option: 'all' })).status, 200)
  })

  t.test('warns at the start when no participant has the role', async (t) => {
    const session = await play({ decided_by: ['officer'] })
    const { body } = await call('getSession', { token: admin.token, params: session.params })
    const warned = body.warnings.filter(({ value }: Schema<'Warning'>) => value === 'recall')
    t.match(warned, [{ field: 'participants', message: /^Only officer makes this decision/ }])
  })

  t.test('lets trainers decide only on behalf of the participants', async (t) => {
    const session = await play({ decided_by: ['officer'] })
    const own = await decide(admin, session, 'recall', { option: 'all' })
    t.match(own, { status: 403, body: { code: 'not_yours_to_decide' } })
    const claimed = await decide(ben, session, 'recall', { option: 'all', on_behalf: true })
    t.match(claimed, { status: 403, body: { code: 'insufficient_role' } })
    const made = await decide(admin, session, 'recall', { option: 'all', on_behalf: true })
    t.match(made.body, { option: 'all', made_by: admin.user_id, on_behalf: true })
    const messages = await call('listSessionMessages', {
      token: admin.token,
      params: session.params,
    })
    const [message] = messages.body.filter((one: Schema<'SessionMessage'>) => one.decides)
    t.match(message, { sender_id: session.away, injected: true, decides: { on_behalf: true } })
    const token = ben.token
    const { body } = await call('listExpectations', { token, params: session.params })
    t.match(body, [{ status: 'answered', answered_by: admin.user_id }])
    const { counts } = (await call('getSession', { token, params: session.params })).body
    t.equal(counts.open_expectations, 0)
  })

  t.test(
    'refuses an unknown option, listing the known ones, and a decision that is not open',
    async (t) => {
      const session = await play()
      const unknown = await decide(ben, session, 'recall', { option: 'some' })
      t.match(unknown, { status: 422, body: { detail: [{ loc: ['body', 'option'] }] } })
      t.match(unknown.body.detail[0].msg, /all, wait/)
      for (const beat of ['telling', 'no-such-beat']) {
        const early = await decide(ben, session, beat, { option: 'authority' })
        t.match(early, { status: 409, body: { code: 'decision_not_open' } })
      }
    },
  )

  t.test('needs a running session, and a participant who has joined', async (t) => {
    const session = await play()
    await change('pauseSession', admin, session)
    const paused = await decide(ben, session, 'recall', { option: 'all' })
    t.match(paused, { status: 409, body: { code: 'session_not_running' } })
    await change('resumeSession', admin, session)
    const dora = await addMember(admin.organization_id, 'employee')
    t.equal((await decide(dora, session, 'recall', { option: 'all' })).status, 404)
    const params = { ...session.params, user_id: dora.user_id }
    await call('addParticipant', { token: admin.token, params, body: {} })
    const early = await decide(dora, session, 'recall', { option: 'all' })
    t.match(early, { status: 409, body: { code: 'not_joined' } })
  })
})
