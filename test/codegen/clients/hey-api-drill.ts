import { setTimeout as sleep } from 'node:timers/promises'
import type { DrillClient } from '../drill.ts'
import { createClient } from '../generated/hey-api/client/index.ts'
import * as operations from '../generated/hey-api/index.ts'
import { type Session, succeeded } from './client.ts'

/** Each request and answer is parsed by its zod schema, as hey-api.config.mjs demands. */
export function createHeyApiDrill(baseUrl: string): DrillClient {
  const client = createClient({ baseUrl })
  const as = ({ access_token }: Session) => ({ client, auth: () => access_token })
  const at = (session: Session, session_id: string) => ({ ...as(session), path: { session_id } })

  return {
    async register(body) {
      const { data, error } = await operations.register({ client, body })
      return succeeded(data, error)
    },
    async applyQuickSetup(admin) {
      const { data, error } = await operations.applyQuickSetup({ ...as(admin), body: {} })
      return succeeded(data, error)
    },
    async inviteMember(admin, { email, first_name, last_name }) {
      const { organization_id } = admin
      const { data, error } = await operations.inviteMember({
        ...as(admin),
        path: { organization_id },
        body: { email, first_name, last_name },
      })
      const { user, temporary_password } = succeeded(data, error)
      return { user_id: user._id ?? '', password: temporary_password ?? '' }
    },
    async login({ email, password }) {
      const { data, error } = await operations.login({ client, body: { email, password } })
      return succeeded(data, error)
    },
    async changePassword(member, current_password, new_password) {
      const body = { current_password, new_password }
      const { data, error } = await operations.changePassword({ ...as(member), body })
      return succeeded(data, error)
    },
    async createSession(admin, scenario_name, user_ids) {
      const participants = user_ids.map((user_id) => ({ user_id }))
      const body = { name: 'Tuesday', scenario_name, speed: 600, participants }
      const { data, error } = await operations.createSession({ ...as(admin), body })
      return succeeded(data, error)
    },
    async joinSession(member, session_id) {
      const body = { consent: true } as const
      const { data, error } = await operations.joinSession({ ...at(member, session_id), body })
      return succeeded(data, error)
    },
    async startSession(admin, session_id) {
      const { data, error } = await operations.startSession(at(admin, session_id))
      return succeeded(data, error)
    },
    async getBriefing(member, session_id) {
      const { data, error } = await operations.getBriefing(at(member, session_id))
      return succeeded(data, error).channels.map(({ conversation_id }) => conversation_id)
    },
    // Its stream client separates the events, but has one schema for all of them.
    async firstMessage(member, session_id) {
      for (let i = 0; i < 100; i++) {
        const { data, error } = await operations.listSessionMessages(at(member, session_id))
        const [message] = succeeded(data, error)
        if (message) return message
        await sleep(100)
      }
      throw new Error('The drill has no message')
    },
    async postMessage(member, { session_id, conversation_id }, content) {
      const body = { conversation_id, content, client_message_id: 'answer-1' }
      const { data, error } = await operations.postSessionMessage({
        ...at(member, session_id),
        body,
      })
      return succeeded(data, error)
    },
    async rateSession(admin, session_id) {
      const body = { ratings: [{ criterion: 'Tell those affected', value: 3 }] }
      const { data, error } = await operations.rateSession({ ...at(admin, session_id), body })
      return succeeded(data, error).ratings.map(({ value }) => value)
    },
    async endSession(admin, session_id) {
      const { data, error } = await operations.endSession(at(admin, session_id))
      return succeeded(data, error)
    },
    async exportSession(admin, session_id) {
      const query = { format: 'xapi' } as const
      const { data, error } = await operations.exportSession({ ...at(admin, session_id), query })
      return JSON.stringify(succeeded(data, error))
    },
  }
}
