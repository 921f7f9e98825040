import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'

const links = '/api/v1/simulation/sessions/{session_id}/seat-links'
const at = (session_id: string) => ({ params: { path: { session_id } } })

/** Makes links. A place that has one gets a new one, and the old one stops working. */
export async function createSeatLinks(
  id: string,
  seats: Schema<'SeatOfLink'>[],
): Promise<Schema<'NewSeatLink'>[]> {
  const { data } = await service.api.POST(links, { ...at(id), body: { seats } })
  return data
}

export async function readSeatLinks(id: string): Promise<Schema<'SeatLink'>[]> {
  const { data } = await service.api.GET(links, at(id))
  return data
}

export async function revokeSeatLink(session_id: string, assignment_id: string): Promise<void> {
  await service.api.DELETE(`${links}/{assignment_id}`, {
    params: { path: { session_id, assignment_id } },
  })
}
