import { computed, signal } from '@preact/signals'
import { ApiError, isRefusal, type SessionEvent, type StreamState } from '../../../client/client.js'
import type { Schema } from '../forms/schema.js'
import { faultText, patience, service } from '../service.js'
import { storedName } from '../stored.js'
import { SessionClock } from './clock.js'
import { withShownNames } from './guest-names.js'
import { inTurn } from './in-turn.js'
import { Messages } from './messages.js'
import { mayPass, Outbox } from './outbox.js'
import { peopleOf } from './people.js'
import { PrivateWords } from './private-words.js'
import { WithoutStream } from './without-stream.js'

/** How long changes are collected before a list is read again. */
const collectMs = 150
/** How long to wait before what could not be read is read again. */
const againMs = 2_000

/** Whether this device has a network. */
const isOnline = signal(navigator.onLine)
for (const event of ['online', 'offline']) {
  addEventListener(event, () => {
    isOnline.value = navigator.onLine
  })
}

/** One session as its reader sees it: read once, and then followed by its event stream. */
export class Room {
  readonly session_id: string
  readonly user_id: string
  readonly briefing = signal<Schema<'SessionBriefing'> | null>(null)
  readonly clock = new SessionClock()
  readonly messages = new Messages()
  readonly decisions = signal<readonly Schema<'SessionDecision'>[]>([])
  readonly expectations = signal<readonly Schema<'SessionExpectation'>[]>([])
  readonly connection = signal<StreamState | 'closed'>('connecting')
  /** Why the stream has ended. */
  readonly end = signal<Schema<'StreamEndReason'> | null>(null)
  /** Why the room cannot be read; null while it can. */
  readonly fault = signal<ApiError | null>(null)
  readonly people = computed(() =>
    this.briefing.value ? peopleOf(this.briefing.value) : new Map(),
  )
  /** Whether the service cannot be reached now, or only news are late. It is tried again. */
  readonly trouble = computed(() => {
    if (!isOnline.value || this.outbox.isCut.value) return 'lost'
    if (this.#withoutStream.isRead.value) return 'slow'
    return this.#isLineCut.value ? 'lost' : null
  })
  readonly outbox: Outbox
  readonly privateWords: PrivateWords
  /** Whether the last attempt has failed. One that is under way is no connection yet. */
  readonly #isLineCut = signal(false)
  readonly #closing = new AbortController()
  readonly readBriefing = inTurn(async (signal) => {
    const path = '/api/v1/simulation/sessions/{session_id}/briefing'
    const { data } = await service.api.GET(path, { params: this.#path, signal })
    this.briefing.value = withShownNames(data)
  })
  readonly readDecisions = inTurn(async (signal) => {
    const path = '/api/v1/simulation/sessions/{session_id}/decisions'
    this.decisions.value = (await service.api.GET(path, { params: this.#path, signal })).data
  })
  readonly #readExpectations = inTurn(async (signal) => {
    const path = '/api/v1/simulation/sessions/{session_id}/expectations'
    this.expectations.value = (await service.api.GET(path, { params: this.#path, signal })).data
  })
  /** What the events of a stream do not contain. */
  readonly #lists = [this.readBriefing, this.readDecisions, this.#readExpectations]
  readonly #withoutStream = new WithoutStream(() => this.readAll())
  readonly #refreshes = new Map<() => Promise<void>, ReturnType<typeof setTimeout>>()

  constructor(session_id: string, user_id: string) {
    this.session_id = session_id
    this.user_id = user_id
    this.privateWords = new PrivateWords(session_id)
    this.outbox = new Outbox(this.storedAs('outbox'), {
      post: (body) => this.#post(body),
      faultOf: (error) => (mayPass(error) ? null : faultText(error)),
    })
  }

  /** The key under which something is stored for this reader only. */
  storedAs(...name: string[]): string {
    return storedName(this, ...name)
  }

  get #path() {
    return { path: { session_id: this.session_id } }
  }

  /** Reads the briefing, which all may do who take part, also before they join. */
  async load(): Promise<void> {
    await this.#persist(() => this.readBriefing())
    // There is no stream before the room is opened.
    this.#withoutStream.stop()
  }

  /** Reads all there is, and follows the session until it ends or the room is closed. */
  async open(): Promise<void> {
    const { signal } = this.#closing
    try {
      const isRead = await this.#persist(() =>
        Promise.all([this.readBriefing(), this.readDecisions(), this.#readExpectations()]),
      )
      if (!isRead) return
      const onState = (state: StreamState) => this.#onState(state)
      const events = service.streamSessionEvents(this.session_id, { signal, onState })
      for await (const event of events) this.receive(event)
    } catch (error) {
      if (error instanceof ApiError) this.fault.value = error
      else if (!signal.aborted) throw error
    } finally {
      this.#setConnection('closed')
    }
  }

  /** Reads until it succeeds. Returns whether it did: a refusal and the end of the room stop it. */
  async #persist(read: () => Promise<unknown>): Promise<boolean> {
    while (!this.#closing.signal.aborted) {
      try {
        await read()
        if (this.connection.value === 'waiting') this.#setConnection('connecting')
        return true
      } catch (error) {
        if (isRefusal(error)) {
          this.fault.value = error
          return false
        }
        this.#setConnection('waiting')
        const wait = error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0
        await new Promise((resolve) => setTimeout(resolve, Math.max(againMs, wait)))
      }
    }
    return false
  }

  close(): void {
    this.#closing.abort()
    this.#withoutStream.stop()
    this.outbox.stop()
    for (const timer of this.#refreshes.values()) clearTimeout(timer)
  }

  protected receive({ event, data }: SessionEvent): void {
    if (event === 'message') this.#onMessage(data)
    else if (event === 'status') this.#onStatus(data)
    else if (event === 'trainer_message') this.privateWords.add([data])
    else if (event === 'end') this.end.value = data.reason
    else if (event === 'participant') this.#refresh(this.readBriefing)
    if (event === 'decision') this.#refresh(this.readDecisions)
    if (event === 'expectation') this.#refresh(this.#readExpectations)
  }

  #onMessage(message: Schema<'SessionMessage'>): void {
    this.messages.add([message])
    if (message.client_message_id === null || !this.outbox.has(message.client_message_id)) return
    this.messages.show()
    this.outbox.remove(message.client_message_id)
  }

  #onStatus(data: Schema<'StatusEvent'>): void {
    const hasChanged = this.clock.status.value !== data.status
    this.clock.set(data)
    if (!hasChanged) return
    this.outbox.hurry()
    for (const again of this.#lists) {
      this.#refresh(again)
    }
  }

  /** After a reconnect, what has no `seq` is read again. */
  #onState(state: StreamState): void {
    const isBack = state === 'open' && this.messages.last > 0
    this.#setConnection(state)
    if (state === 'open') this.#refresh(this.#privateWordsAgain)
    if (!isBack) return
    for (const again of this.#lists) {
      this.#refresh(again)
    }
  }

  #setConnection(state: StreamState | 'closed'): void {
    this.connection.value = state
    if (!this.#closing.signal.aborted) this.#withoutStream.onState(state)
    if (state !== 'connecting') this.#isLineCut.value = state === 'waiting'
  }

  /** Reads what the stream would have told. */
  protected async readAll(): Promise<void> {
    const path = '/api/v1/simulation/sessions/{session_id}'
    const { data } = await service.api.GET(path, { params: this.#path, signal: patience() })
    const { status, speed, clock } = data
    const { elapsed_ms, as_of: at } = clock
    this.receive({ event: 'status', data: { status, speed, elapsed_ms, at } })
    await this.#readMessages()
    await Promise.all([...this.#lists.map((read) => read()), this.privateWords.read()])
  }

  async #readMessages(): Promise<void> {
    const path = '/api/v1/simulation/sessions/{session_id}/messages'
    const limit = 500
    for (let isMore = true; isMore; ) {
      const params = { ...this.#path, query: { after: this.messages.last, limit } }
      const { data } = await service.api.GET(path, { params, signal: patience() })
      for (const message of data) this.#onMessage(message)
      isMore = data.length === limit
    }
  }

  readonly #privateWordsAgain = () => this.privateWords.read()

  /** Reads a list soon, once for all changes until then. */
  #refresh(read: () => Promise<void>): void {
    if (this.#refreshes.has(read)) return
    const timer = setTimeout(() => {
      this.#refreshes.delete(read)
      read().catch((error) => isRefusal(error) || this.#refreshLater(read))
    }, collectMs)
    this.#refreshes.set(read, timer)
  }

  #refreshLater(read: () => Promise<void>): void {
    if (this.#closing.signal.aborted || this.#refreshes.has(read)) return
    const retry = () => {
      this.#refreshes.delete(read)
      this.#refresh(read)
    }
    this.#refreshes.set(read, setTimeout(retry, 5_000))
  }

  async #post(body: Schema<'NewSessionMessage'>): Promise<void> {
    const path = '/api/v1/simulation/sessions/{session_id}/messages'
    await service.api.POST(path, { params: this.#path, body, signal: patience() })
  }
}
