import createClient from 'openapi-fetch'
import type { DrillClient } from '../drill.ts'
import type { components, paths } from '../generated/openapi-typescript.ts'
import { bearer, succeeded } from './client.ts'

type SessionCreation = components['schemas']['SessionCreation']

const session = '/api/v1/simulation/sessions/{session_id}'

export function createOpenapiFetchDrill(baseUrl: string): DrillClient {
  const client = createClient<paths>({ baseUrl })
  const at = (session_id: string) => ({ params: { path: { session_id } } })

  return {
    async register(body) {
      const { data, error } = await client.POST('/api/v1/auth/register', { body })
      return succeeded(data, error)
    },
    async applyQuickSetup(admin) {
      const { data, error } = await client.POST(
        '/api/v1/admin/simulation/scenario-blueprints/quick-setup/apply',
        { headers: bearer(admin), body: {} },
      )
      return succeeded(data, error)
    },
    async inviteMember(admin, { email, first_name, last_name }) {
      const { organization_id } = admin
      const { data, error } = await client.POST('/api/v1/users/invite/{organization_id}', {
        headers: bearer(admin),
        params: { path: { organization_id } },
        body: { email, first_name, last_name },
      })
      const { user, temporary_password } = succeeded(data, error)
      return { user_id: user._id ?? '', password: temporary_password ?? '' }
    },
    async login({ email, password }) {
      const { data, error } = await client.POST('/api/v1/auth/login', { body: { email, password } })
      return succeeded(data, error)
    },
    async changePassword(member, current_password, new_password) {
      const { data, error } = await client.POST('/api/v1/auth/change-password', {
        headers: bearer(member),
        body: { current_password, new_password },
      })
      return succeeded(data, error)
    },
    async createSession(admin, scenario_name, user_ids) {
      const participants = user_ids.map((user_id) => ({ user_id }))
      const body: SessionCreation = { name: 'Tuesday', scenario_name, speed: 600, participants }
      const init = { headers: bearer(admin), body }
      const { data, error } = await client.POST('/api/v1/simulation/sessions', init)
      return succeeded(data, error)
    },
    async joinSession(member, session_id) {
      const { data, error } = await client.POST(`${session}/participation`, {
        ...at(session_id),
        headers: bearer(member),
        body: { consent: true },
      })
      return succeeded(data, error)
    },
    async startSession(admin, session_id) {
      const init = { ...at(session_id), headers: bearer(admin) }
      const { data, error } = await client.POST(`${session}/start`, init)
      return succeeded(data, error)
    },
    async getBriefing(member, session_id) {
      const init = { ...at(session_id), headers: bearer(member) }
      const { data, error } = await client.GET(`${session}/briefing`, init)
      return succeeded(data, error).channels.map(({ conversation_id }) => conversation_id)
    },
    async firstMessage(member, session_id) {
      const init = { ...at(session_id), headers: bearer(member), parseAs: 'stream' } as const
      const { data, error } = await client.GET(`${session}/events`, init)
      return messageIn(succeeded(data, error))
    },
    async postMessage(member, { session_id, conversation_id }, content) {
      const { data, error } = await client.POST(`${session}/messages`, {
        ...at(session_id),
        headers: bearer(member),
        body: { conversation_id, content, client_message_id: 'answer-1' },
      })
      return succeeded(data, error)
    },
    async rateSession(admin, session_id) {
      const { data, error } = await client.PUT(`${session}/ratings`, {
        ...at(session_id),
        headers: bearer(admin),
        body: { ratings: [{ criterion: 'Tell those affected', value: 3 }] },
      })
      return succeeded(data, error).ratings.map(({ value }) => value)
    },
    async endSession(admin, session_id) {
      const init = { ...at(session_id), headers: bearer(admin) }
      const { data, error } = await client.POST(`${session}/end`, init)
      return succeeded(data, error)
    },
    async exportSession(admin, session_id) {
      const init = { ...at(session_id), headers: bearer(admin), parseAs: 'text' } as const
      const { data, error } = await client.GET(`${session}/export`, init)
      return succeeded(data, error)
    },
  }
}

/** The first message of a stream of events. */
async function messageIn(body: ReadableStream<Uint8Array> | null) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    const [, data] = /^event: message\ndata: (.*)\n\n/m.exec(text) ?? []
    if (data) return JSON.parse(data) as components['schemas']['SessionMessage']
  }
  throw new Error('The stream ended without a message')
}
