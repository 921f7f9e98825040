import { signal } from '@preact/signals'
import { ApiError } from '../../../client/client.js'
import type { Schema } from '../forms/schema.js'
import { patience, service } from '../service.js'

type Words = Schema<'TrainerMessage'>

/** The private words between participants and trainers, sorted by `seq`, each once. */
export class PrivateWords {
  readonly all = signal<readonly Words[]>([])
  /** Whether those that were there before have been read. */
  readonly isRead = signal(false)

  /** The last `seq` that was read. Words that are sent here may come before older ones are read. */
  #readTo = 0

  constructor(readonly session_id: string) {}

  add(words: readonly Words[]): void {
    const known = new Map(this.all.value.map((one) => [one.seq, one]))
    const news = words.filter(({ seq }) => !known.has(seq))
    if (news.length === 0) return
    this.all.value = [...this.all.value, ...news].sort((a, b) => a.seq - b.seq)
  }

  /** Reads what is missing. Those who may not read any have none. */
  async read(): Promise<void> {
    const path = '/api/v1/simulation/sessions/{session_id}/trainer-messages'
    const limit = 500
    try {
      for (let isMore = true; isMore; ) {
        const query = { after: this.#readTo, limit }
        const params = { path: { session_id: this.session_id }, query }
        const { data } = await service.api.GET(path, { params, signal: patience() })
        this.add(data)
        this.#readTo = data.at(-1)?.seq ?? this.#readTo
        isMore = data.length === limit
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error
    }
    this.isRead.value = true
  }

  async ask(content: string, client_message_id: string): Promise<void> {
    const path = '/api/v1/simulation/sessions/{session_id}/trainer-messages'
    const params = { path: { session_id: this.session_id } }
    const body = { content, client_message_id }
    const { data } = await service.api.POST(path, { params, body, signal: patience() })
    this.add([data])
  }
}
