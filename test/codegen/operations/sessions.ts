import { randomUUID } from 'node:crypto'
import { type Calls, clientFor, type Stage } from './calls.ts'

const sessions = '/api/v1/simulation/sessions'
const session = `${sessions}/{session_id}` as const

/** Calls the operations on sessions, in the order of a drill. */
export function sessionCalls({ url, admin, member }: Stage) {
  const asAdmin = clientFor(url, admin)
  const asMember = clientFor(url, member)
  const { user_id } = member
  const body = { name: 'Tuesday', scenario_name: 'hr_workforce', speed: 600 }
  const made = {
    session_id: '',
    draft_id: '',
    conversation_id: '',
    assignment_id: '',
    seat_token: '',
    note_id: '',
  }
  const at = () => ({ path: { session_id: made.session_id } })
  const place = () => ({ path: { ...at().path, user_id } })

  const before = {
    createSession: async () => {
      made.draft_id = (await asAdmin.POST(sessions, { body })).data?._id ?? ''
      const answer = await asAdmin.POST(sessions, { body })
      made.session_id = answer.data?._id ?? ''
      return answer
    },
    listSessions: () => asAdmin.GET(sessions),
    getSession: () => asAdmin.GET(session, { params: at() }),
    updateSession: () => asAdmin.PATCH(session, { params: at(), body: { timing: 'drill' } }),
    deleteSession: () =>
      asAdmin.DELETE(session, { params: { path: { session_id: made.draft_id } } }),
    setParticipants: () =>
      asAdmin.PUT(`${session}/participants`, {
        params: at(),
        body: { participants: [{ user_id }] },
      }),
    removeParticipant: () =>
      asAdmin.DELETE(`${session}/participants/{user_id}`, { params: place() }),
    addParticipant: () => asAdmin.PUT(`${session}/participants/{user_id}`, { params: place() }),
    listSpeakers: () => asAdmin.GET('/api/v1/simulation/speakers'),
    listParticipants: () => asAdmin.GET(`${session}/participants`, { params: at() }),
    createSeatLinks: async () => {
      const answer = await asAdmin.POST(`${session}/seat-links`, {
        params: at(),
        body: { seats: [{ guest: true }] },
      })
      const [link] = answer.data ?? []
      made.assignment_id = link?.assignment_id ?? ''
      made.seat_token = new URL(link?.url ?? url).hash.slice(1)
      return answer
    },
    listSeatLinks: () => asAdmin.GET(`${session}/seat-links`, { params: at() }),
    takeSeat: () =>
      clientFor(url).POST('/api/v1/simulation/seats/take', {
        body: { seat_token: made.seat_token },
      }),
    revokeSeatLink: () =>
      asAdmin.DELETE(`${session}/seat-links/{assignment_id}`, {
        params: { path: { ...at().path, assignment_id: made.assignment_id } },
      }),
    getSessionReadiness: () => asAdmin.GET(`${session}/readiness`, { params: at() }),
    joinSession: () =>
      asMember.POST(`${session}/participation`, { params: at(), body: { consent: true } }),
  } satisfies Partial<Calls>

  const during = {
    startSession: async () => {
      const answer = await asAdmin.POST(`${session}/start`, { params: at() })
      made.conversation_id = answer.data?.conversations[0]?.conversation_id ?? ''
      return answer
    },
    pauseSession: () => asAdmin.POST(`${session}/pause`, { params: at() }),
    resumeSession: () => asAdmin.POST(`${session}/resume`, { params: at() }),
    retrySession: () => asAdmin.POST(`${session}/retry`, { params: at() }),
    getBriefing: () => asMember.GET(`${session}/briefing`, { params: at() }),
    postSessionMessage: () =>
      asMember.POST(`${session}/messages`, {
        params: at(),
        body: {
          conversation_id: made.conversation_id,
          content: 'Good morning.',
          client_message_id: randomUUID(),
        },
      }),
    listSessionMessages: () =>
      asMember.GET(`${session}/messages`, { params: { ...at(), query: { latest: 50 } } }),
    listExpectations: () => asMember.GET(`${session}/expectations`, { params: at() }),
    listDecisions: () => asMember.GET(`${session}/decisions`, { params: at() }),
    makeDecision: () =>
      asMember.PUT(`${session}/decisions/{beat}`, {
        params: { path: { ...at().path, beat: 'places' } },
        body: { option: 'by_length' },
      }),
    streamSessionEvents: async () => {
      const init = { params: at(), parseAs: 'stream' } as const
      const answer = await asMember.GET(`${session}/events`, init)
      await answer.data?.cancel()
      return answer
    },
    streamEvents: async () => {
      const answer = await asAdmin.GET('/api/v1/simulation/events', { parseAs: 'stream' })
      await answer.data?.cancel()
      return answer
    },
    askTrainer: async () => {
      const answer = await asMember.POST(`${session}/trainer-messages`, {
        params: at(),
        body: { content: 'May I call the payroll office?' },
      })
      made.assignment_id = answer.data?.assignment_id ?? ''
      return answer
    },
    answerParticipant: () =>
      asAdmin.POST(`${session}/trainer-messages/{assignment_id}`, {
        params: { path: { ...at().path, assignment_id: made.assignment_id } },
        body: { content: 'Yes.' },
      }),
    listTrainerMessages: () => asMember.GET(`${session}/trainer-messages`, { params: at() }),
    leaveSession: () => asMember.DELETE(`${session}/participation`, { params: at() }),
  } satisfies Partial<Calls>

  const after = {
    endSession: () => asAdmin.POST(`${session}/end`, { params: at() }),
    rateSession: () =>
      asAdmin.PUT(`${session}/ratings`, {
        params: at(),
        body: { ratings: [{ criterion: 'Tell those affected', value: 3 }] },
      }),
    rateOneself: () =>
      asMember.PUT(`${session}/own-rating`, {
        params: at(),
        body: { values: [{ criterion: 'Describe instead of labelling', value: 3 }] },
      }),
    getOwnRating: () => asMember.GET(`${session}/own-rating`, { params: at() }),
    createSessionNote: async () => {
      const body = { content: 'They ask first.' }
      const answer = await asAdmin.POST(`${session}/notes`, { params: at(), body })
      made.note_id = answer.data?._id ?? ''
      return answer
    },
    listSessionNotes: () => asAdmin.GET(`${session}/notes`, { params: at() }),
    deleteSessionNote: () =>
      asAdmin.DELETE(`${session}/notes/{note_id}`, {
        params: { path: { ...at().path, note_id: made.note_id } },
      }),
    listSessionRatings: () => asAdmin.GET(`${session}/ratings`, { params: at() }),
    exportSession: () => asAdmin.GET(`${session}/export`, { params: at(), parseAs: 'text' }),
  } satisfies Partial<Calls>

  return { ...before, ...during, ...after }
}
