import type { Schema } from '../../shared/forms/schema.js'
import { shownName, withShownNames } from '../../shared/room/guest-names.js'
import { service } from '../../shared/service.js'

const sessions = '/api/v1/simulation/sessions'
const session = `${sessions}/{session_id}` as const
const at = (session_id: string) => ({ params: { path: { session_id } } })

/** How many sessions a list shows, the newest first. */
export const mostSessions = 200

export async function readSessions(): Promise<Schema<'ListedSession'>[]> {
  const { data } = await service.api.GET(sessions, { params: { query: { limit: mostSessions } } })
  return data
}

export async function readSession(id: string): Promise<Schema<'SimulationSession'>> {
  const { data } = await service.api.GET(session, at(id))
  return data
}

export async function createSession(
  body: Schema<'SessionCreation'>,
): Promise<Schema<'SimulationSession'>> {
  const { data } = await service.api.POST(sessions, { body })
  return data
}

export async function changeSession(id: string, body: Schema<'SessionUpdate'>): Promise<void> {
  await service.api.PATCH(session, { ...at(id), body })
}

export async function deleteSession(id: string): Promise<void> {
  await service.api.DELETE(session, at(id))
}

export async function readReadiness(id: string): Promise<Schema<'SessionReadiness'>> {
  const { data } = await service.api.GET(`${session}/readiness`, at(id))
  return data
}

export async function readBriefing(id: string): Promise<Schema<'SessionBriefing'>> {
  const { data } = await service.api.GET(`${session}/briefing`, at(id))
  return withShownNames(data)
}

export async function readParticipants(id: string): Promise<Schema<'ParticipantAssignment'>[]> {
  const { data } = await service.api.GET(`${session}/participants`, at(id))
  return data.map((one) => ({ ...one, full_name: one.full_name && shownName(one.full_name) }))
}

/** Adds a user to a session, or changes their role. */
export async function addParticipant(
  session_id: string,
  user_id: string,
  role_key: string | null,
): Promise<void> {
  await service.api.PUT(`${session}/participants/{user_id}`, {
    params: { path: { session_id, user_id } },
    body: { role_key },
  })
}

export async function removeParticipant(session_id: string, user_id: string): Promise<void> {
  await service.api.DELETE(`${session}/participants/{user_id}`, {
    params: { path: { session_id, user_id } },
  })
}

/** What trainers do with the clock of a session. */
export const clockCalls = {
  start: (id: string) => service.api.POST(`${session}/start`, { ...at(id), body: {} }),
  pause: (id: string) => service.api.POST(`${session}/pause`, { ...at(id), body: {} }),
  resume: (id: string) => service.api.POST(`${session}/resume`, { ...at(id), body: {} }),
  retry: (id: string) => service.api.POST(`${session}/retry`, { ...at(id), body: {} }),
}

export async function endSession(id: string, reason: string): Promise<void> {
  await service.api.POST(`${session}/end`, { ...at(id), body: reason ? { reason } : {} })
}

export async function decideOnBehalf(
  session_id: string,
  beat: string,
  option: string,
  reason: string,
): Promise<void> {
  await service.api.PUT(`${session}/decisions/{beat}`, {
    params: { path: { session_id, beat } },
    body: { option, on_behalf: true, ...(reason && { reason }) },
  })
}

export async function readDecisions(id: string): Promise<Schema<'SessionDecision'>[]> {
  const { data } = await service.api.GET(`${session}/decisions`, at(id))
  return data
}

export async function readRatings(id: string): Promise<Schema<'SessionRatings'>> {
  const { data } = await service.api.GET(`${session}/ratings`, at(id))
  return data
}

export async function rate(
  id: string,
  ratings: Schema<'NewRating'>[],
): Promise<Schema<'SessionRatings'>> {
  const { data } = await service.api.PUT(`${session}/ratings`, { ...at(id), body: { ratings } })
  return data
}

export async function exportSession(id: string, format: 'ndjson' | 'csv' | 'xapi'): Promise<Blob> {
  const { data } = await service.api.GET(`${session}/export`, {
    params: { path: { session_id: id }, query: { format, bom: true } },
    parseAs: 'blob',
  })
  return data
}
