import { t } from '../helpers/file.js'
import { seatsOf } from '../helpers/seats.js'
import { type Answer, startService } from '../helpers/service.js'
import { skipEmbedded as skip } from '../helpers/skips.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call } = service
const { admin, draft, change } = await openStage(service)
const { createLinks, take } = seatsOf(service)
const { token } = admin
const rounds = Array.from({ length: 8 }, (_, i) => i)

/** A draft with four guests who have taken their seats. */
async function openWithGuests() {
  const { _id } = await draft({ participants: [] })
  const seats = Array.from({ length: 4 }, () => ({ guest: true }))
  const links = await createLinks(admin, _id, seats)
  const guests = await Promise.all(links.map(take))
  return { _id, params: { session_id: _id }, guests }
}

const deactivate = ({ user_id }: { user_id: string }) =>
  call('updateUser', { token, params: { user_id }, body: { is_active: false } })

/** Answers of requests that change the same rows at the same moment. None of them may deadlock. */
async function answersOf(
  t: { strictSame: typeof import('tap').t.strictSame },
  calls: Promise<Answer>[],
) {
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  t.strictSame(
    statuses.filter((status) => status >= 500),
    [],
  )
}

t.test('Changes at the same moment do not wait for each other for ever', { skip }, async (t) => {
  t.test('notes are deleted with their session', async (t) => {
    for (const round of rounds) {
      const { _id } = await draft({ name: `Round ${round}` })
      const params = { session_id: _id }
      const written = Array.from({ length: 4 }, (_, i) =>
        call('createSessionNote', { token, params, body: { content: `Note ${i}` } }),
      )
      const notes = (await Promise.all(written)).map(({ body }) => body)
      await answersOf(t, [
        ...notes.map((note) =>
          call('deleteSessionNote', { token, params: { ...params, note_id: note._id } }),
        ),
        call('deleteSession', { token, params }),
      ])
    }
  })

  t.test('guests are deactivated while their session ends', async (t) => {
    for (const _ of rounds) {
      const { _id, params, guests } = await openWithGuests()
      await change('startSession', admin, { _id })
      await answersOf(t, [...guests.map(deactivate), call('endSession', { token, params })])
    }
  })

  t.test('guests are deactivated, and refresh, while their session is deleted', async (t) => {
    for (const _ of rounds) {
      const { params, guests } = await openWithGuests()
      const refresh = ({ refresh_token }: { refresh_token: string }) =>
        call('refreshToken', { body: { refresh_token } })
      await answersOf(t, [
        ...guests.slice(0, 2).map(deactivate),
        ...guests.slice(2).map(refresh),
        call('deleteSession', { token, params }),
      ])
    }
  })
})
