import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call, addMember } = service

/** Reads the pages of a list. */
async function speakersOf({ token }: Member, query: Record<string, string> = {}) {
  const pages: Schema<'SpeakerList'>[] = []
  for (let next: Record<string, string> | null = query; next; ) {
    const { status, body, headers } = await call('listSpeakers', { token, query: next })
    if (status !== 200) return []
    pages.push(body)
    const link = /<(.*)>/.exec(headers.get('link') ?? '')?.[1]
    next = link ? Object.fromEntries(new URL(link, 'http://service').searchParams) : null
  }
  return pages
}

t.test('listSpeakers', async (t) => {
  t.test('names all who speak in running and paused sessions, page by page', async (t) => {
    const { admin, organization_id, bot, ben, cleo, play, draft, change } = await openStage(service)
    const [running, paused, ended] = [await play(), await play(), await play()]
    await draft()
    await change('pauseSession', admin, paused)
    await change('endSession', admin, ended)
    const params = { ...running.params, user_id: cleo.user_id }
    const { token } = admin
    await call('removeParticipant', { token, params })
    const named = { params: { user_id: ben.user_id }, body: { full_name: 'Ben Adeyemi' } }
    await call('updateUser', { token, ...named })

    const [speakers = []] = await speakersOf(admin)
    const expected = [running, paused].flatMap(({ _id: session_id }) => [
      { session_id, sender_id: bot.user_id, sender_kind: 'character' },
      { session_id, sender_id: ben.user_id, sender_kind: 'participant' },
      { session_id, sender_id: cleo.user_id, sender_kind: 'participant' },
    ])
    const key = (one: (typeof expected)[number]) => one.session_id + one.sender_id
    t.match(
      speakers,
      expected.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
    )
    const { body: briefing } = await call('getBriefing', { token, params: running.params })
    const nameOf = (id: string) => speakers.find(({ sender_id }) => sender_id === id)
    for (const { character_id, display_name, avatar_url } of briefing.cast) {
      t.match(nameOf(character_id), { display_name, avatar_url })
    }
    const [{ user_id, display_name, avatar_url }] = briefing.participants
    t.match(nameOf(user_id), { display_name, avatar_url })

    const pages = await speakersOf(await addMember(organization_id, 'hr'), { limit: '4' })
    t.strictSame(pages, [speakers.slice(0, 4), speakers.slice(4)])
  })

  t.test('stays in one organization, for a super_admin in the named one', async (t) => {
    const [ours, theirs] = [await openStage(service), await openStage(service)]
    const session = await theirs.play()
    const chief = await addMember(ours.organization_id, 'super_admin')
    t.strictSame(await speakersOf(ours.admin), [[]])
    t.strictSame(await speakersOf(chief), [[]])
    const { organization_id } = theirs
    const [named = []] = await speakersOf(chief, { organization_id })
    t.strictSame([...new Set(named.map(({ session_id }) => session_id))], [session._id])
    const { token } = ours.admin
    const foreign = await call('listSpeakers', { token, query: { organization_id } })
    const unknown = await call('listSpeakers', { token, query: { organization_id: 'unknown' } })
    t.equal(foreign.status, 404)
    t.strictSame(foreign.body, unknown.body)
  })

  t.test('refuses a cursor of another list', async (t) => {
    const { admin } = await openStage(service)
    const cursor = Buffer.from('["12"]').toString('base64url')
    const { token } = admin
    const { status, body } = await call('listSpeakers', { token, query: { cursor } })
    t.match([status, body], [422, { detail: [{ loc: ['query', 'cursor'] }] }])
  })
})
