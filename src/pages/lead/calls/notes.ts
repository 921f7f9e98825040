import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'

const session = '/api/v1/simulation/sessions/{session_id}'
const at = (session_id: string) => ({ params: { path: { session_id } } })

export async function readNotes(id: string): Promise<Schema<'SessionNote'>[]> {
  const { data } = await service.api.GET(`${session}/notes`, at(id))
  return data
}

export async function createNote(id: string, content: string): Promise<void> {
  await service.api.POST(`${session}/notes`, { ...at(id), body: { content } })
}

export async function deleteNote(session_id: string, note_id: string): Promise<void> {
  await service.api.DELETE(`${session}/notes/{note_id}`, {
    params: { path: { session_id, note_id } },
  })
}

/** Says something to one participant that no other one reads. */
export async function answerParticipant(
  session_id: string,
  assignment_id: string,
  body: Schema<'NewTrainerAnswer'>,
): Promise<Schema<'TrainerMessage'>> {
  const { data } = await service.api.POST(`${session}/trainer-messages/{assignment_id}`, {
    params: { path: { session_id, assignment_id } },
    body,
  })
  return data
}
