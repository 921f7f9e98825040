import { v5 } from 'uuid'
import type { Schema } from '../contract.js'
import type { ExportedMessage } from './queries.js'
import { channelNames, type SessionFile } from './records.js'

/**
 * The prefix of our own IRIs, the same for all services. It is also the home page of accounts where the
 * address of the service is not configured. No host can have a name in `.invalid` (RFC 2606).
 */
const home = 'https://simulation.invalid'

/** Messages as statements of the Experience API 1.0.3. */
export function statementsOf(
  file: SessionFile,
  messages: ExportedMessage[],
): Schema<'XapiStatement'>[] {
  const names = channelNames(file.session)
  return messages.map((message) => {
    const { _id, conversation_id, thread_id, content, posted_at: timestamp } = message
    const id = statementId(file, _id)
    const name = names.get(conversation_id)
    const channel = 'http://id.tincanapi.com/activitytype/chat-channel'
    const about = choiceOf(file, message) ?? {
      verb: verbOf(thread_id ? 'responded' : 'commented'),
      object: activity(conversation_id, name, channel),
      result: { response: content, ...endingOf(message) },
    }
    const context = contextOf(file, message)
    return { id, actor: actorOf(file, message), ...about, context, timestamp }
  })
}

/** A namespace for the ids of statements with names (RFC 9562, 5.5). */
const namedStatements = 'a012ba7a-122c-498b-acd5-1f12230a2f30'

/**
 * A statement with names has another id than the one with pseudonyms: a store of statements refuses a second
 * statement with the same id and other content.
 */
const statementId = ({ isNamed }: SessionFile, message_id: string) =>
  isNamed ? v5(message_id, namedStatements) : message_id

/**
 * A message in which a participant makes a decision, as the answer to an interaction with choices (xAPI 1.0.3, part 2,
 * 2.4.4.1); null for other messages.
 */
function choiceOf({ decisions }: SessionFile, message: ExportedMessage) {
  const { decides } = message
  const decision = decisions.find(({ beat }) => beat === decides?.beat)
  if (!decision || decides?.status !== 'decided' || decides.on_behalf) return null
  const { message_id, question, options } = decision
  const asked = activity(
    message_id,
    question,
    'http://adlnet.gov/expapi/activities/cmi.interaction',
  )
  const choices = options.map(({ option: id, label }) => ({ id, description: { und: label } }))
  const definition = { ...asked.definition, interactionType: 'choice', choices }
  return {
    verb: verbOf('answered'),
    object: { ...asked, definition },
    result: { response: decides.option, ...endingOf(message) },
  }
}

/** How this message ended its decision. `made_by` is left out: that person is the actor, or stays unnamed. */
function endingOf({ decides }: ExportedMessage) {
  if (!decides) return {}
  const { made_by: _, ...decision } = decides
  return { extensions: { [`${home}/extensions/decision`]: decision } }
}

/** Characters have another home page than people, so that a store can tell them apart. */
function actorOf({ session, who, appUrl }: SessionFile, message: ExportedMessage) {
  const { pseudonym, user_id, full_name, character_id, character_name } = who.sender(message)
  const name = full_name ?? character_name
  const homePage = `${appUrl || home}/organizations/${session.organization_id}`
  return {
    objectType: 'Agent',
    ...(name && { name }),
    account: {
      homePage: message.sender_kind === 'character' ? `${homePage}/characters` : homePage,
      name: user_id ?? pseudonym ?? character_id ?? 'nobody',
    },
  }
}

const verbOf = (verb: 'answered' | 'commented' | 'responded') => ({
  id: `http://adlnet.gov/expapi/verbs/${verb}`,
  display: { en: verb },
})

/** The language of names is unknown: `und`. */
const activity = (_id: string, name: string | undefined, type: string) => ({
  objectType: 'Activity',
  id: `urn:uuid:${_id}`,
  definition: { ...(name && { name: { und: name } }), type },
})

function contextOf(
  file: SessionFile,
  { _id, thread_id, seq, offset_ms, injected, sender_kind }: ExportedMessage,
) {
  const { session, isNamed } = file
  const reference = (id: string) => ({ objectType: 'StatementRef', id: statementId(file, id) })
  const type = 'http://adlnet.gov/expapi/activities/simulation'
  return {
    registration: session._id,
    contextActivities: { parent: [activity(session._id, session.name, type)] },
    ...(thread_id && { statement: reference(thread_id) }),
    extensions: {
      [`${home}/extensions/sender-kind`]: sender_kind,
      [`${home}/extensions/seq`]: seq,
      [`${home}/extensions/offset-ms`]: offset_ms,
      [`${home}/extensions/injected`]: injected,
      ...(isNamed && { [`${home}/extensions/message-id`]: _id }),
    },
  }
}
