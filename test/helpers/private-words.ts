import type { Schema } from '../../src/contract.js'
import type { Member, startService } from './service.js'
import { openWorkplace } from './workplace.js'

type Service = Awaited<ReturnType<typeof startService>>

/** The parameters of a place in a session. */
export interface PlaceParams {
  session_id: string
  assignment_id: string
}

/** An organization in which Ben and Cleo exchange private words with the trainers. */
export async function openPrivateWords(service: Service) {
  const { call } = service
  const workplace = await openWorkplace(service)
  const { hr, rater, ben, cleo, session } = workplace

  const ask = ({ token }: Member, session_id: string, content: string, more = {}) =>
    call('askTrainer', { token, params: { session_id }, body: { content, ...more } })
  const answer = (
    { token }: Member,
    { session_id, assignment_id }: PlaceParams,
    content: string,
    more = {},
  ) => {
    const params = { session_id, assignment_id }
    return call('answerParticipant', { token, params, body: { content, ...more } })
  }
  const list = ({ token }: Member, session_id: string, query = {}) =>
    call('listTrainerMessages', { token, params: { session_id }, query })
  const contentsOf = async (reader: Member, session_id: string, query = {}): Promise<string[]> =>
    (await list(reader, session_id, query)).body.map(
      ({ content }: Schema<'TrainerMessage'>) => content,
    )

  /** A session in which Ben and Cleo have places. It is a draft unless `steps` are given. */
  async function open(...steps: 'startSession'[]) {
    const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
    const fields = { participants, rater_ids: [rater.user_id], mode: 'external' as const }
    const session_id = await session(fields, ...steps)
    const { body } = await call('listParticipants', { token: hr.token, params: { session_id } })
    const [ofBen, ofCleo] = body.map(({ _id: assignment_id }: { _id: string }) => {
      return { session_id, assignment_id }
    })
    return { session_id, ofBen, ofCleo }
  }

  return { ...workplace, ask, answer, list, contentsOf, open }
}
