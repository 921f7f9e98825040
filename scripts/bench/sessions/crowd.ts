import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonRequest, send } from '../client.js'
import { readEvents, type StreamEvent } from './reader.js'
import type { Member, Played } from './stage.js'

/** Somebody who has joined a session. */
export interface Place {
  member: Member
  session: Played
}

/** When each message was sent, and how long it took to each who reads along. */
export class Deliveries {
  readonly #sentAt = new Map<string, number>()
  readonly latencies: number[] = []

  send(): string {
    const content = randomUUID()
    this.#sentAt.set(content, performance.now())
    return content
  }

  hear({ id, data }: StreamEvent): void {
    const sentAt = id === null ? undefined : this.#sentAt.get(JSON.parse(data).content)
    if (sentAt !== undefined) this.latencies.push(performance.now() - sentAt)
  }
}

/** Opens a stream for each, and waits until all have been told something. */
export async function openStreams(
  url: string,
  places: Place[],
  deliveries: Deliveries,
  signal: AbortSignal,
) {
  setMaxListeners(0, signal)

  let opened = 0
  for (const { member, session } of places) {
    await new Promise<void>((resolve, reject) => {
      const place = { url, session_id: session._id, token: member.token }
      let isOpen = false
      const hear = (event: StreamEvent) => {
        if (!isOpen) opened++
        isOpen = true
        resolve()
        deliveries.hear(event)
      }
      readEvents(place, hear, signal).then(() => {
        if (!signal.aborted) reject(new Error(`A stream of ${opened} ended`))
      }, reject)
    })
  }
}

/** Posts messages of one member after the other, one every so often, whether answered or not. */
export async function postByTurns(
  url: string,
  places: Place[],
  deliveries: Deliveries,
  { messages, perSecond, each }: { messages: number; perSecond: number; each: number },
) {
  const posting = []
  for (let i = 0; i < messages; i++) {
    // Of another session each time.
    const place = places[(i * each + (i % each)) % places.length]
    if (!place) throw new Error('Nobody is there')
    const { session, member } = place
    const { conversation_id } = session
    const content = deliveries.send()
    const body = { conversation_id, content, client_message_id: content }
    const path = `/api/v1/simulation/sessions/${session._id}/messages`
    posting.push(send(url, jsonRequest('POST', path, body, member.token), 201))
    await sleep(1_000 / perSecond)
  }
  await Promise.all(posting)
}
