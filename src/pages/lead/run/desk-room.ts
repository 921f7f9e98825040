import { computed, type Signal, signal } from '@preact/signals'
import type { SessionEvent } from '../../../client/client.js'
import type { Schema } from '../../shared/forms/schema.js'
import type { Message } from '../../shared/room/messages.js'
import { Room } from '../../shared/room/room.js'
import { readNotes } from '../calls/notes.js'
import { changeSession, clockCalls, readParticipants, readSession } from '../calls/sessions.js'
import { may, me } from '../me.js'
import { WordsOfAll } from '../words-of-all.js'
import { Refreshed } from './refreshed.js'
import { answeredIn, Feed } from './shown-messages.js'

/** The parts of a desk. */
export const parts = ['happened', 'waits', 'people', 'sheet'] as const
export type Part = (typeof parts)[number]
export const isPart = (name: string | undefined): name is Part => parts.some((one) => one === name)

/** A session as those who lead it see it: the room, and who is in it. */
export class DeskRoom extends Room {
  override readonly privateWords: WordsOfAll
  readonly session: Refreshed<Schema<'SimulationSession'>>
  readonly participants: Refreshed<Schema<'ParticipantAssignment'>[]>
  readonly notes: Refreshed<Schema<'SessionNote'>[]>
  readonly feed = new Feed(this.messages)
  /** The part that a narrow screen shows. */
  readonly part: Signal<Part>
  /** Whether the trainer has followed a link to private words, which are not shown yet. */
  leadsToWords: boolean
  /** The place whose private words are open. */
  readonly talk = signal<string | null>(null)
  /** The place whose private words are answered among what waits. */
  readonly answering = signal<string | null>(null)
  /** The message that a trainer replies to as a character. */
  readonly replyTo = signal<Message | null>(null)
  /** The channel in which a character speaks, chosen there or among what happened. */
  readonly speakIn = signal('')
  /** The speed that was chosen for the rest of a paused session; null for the one that it has. */
  readonly restSpeed = signal<string | null>(null)
  /** The beats that the story has played, in the order in which each began. */
  readonly playedBeats = computed(() => {
    const during = this.messages.all.value.filter(({ offset_ms }) => offset_ms >= 0)
    return new Set(during.map(({ beat }) => beat))
  })

  /** The part of the story that the trainer looks after: what is asked now, or else what came last. */
  readonly beat = computed(() => {
    const beats = this.briefing.value?.facilitator?.beats ?? []
    const { byId, all } = this.messages
    const asked = this.expectations.value
      .filter(({ status }) => status === 'open')
      .flatMap(({ message_id }) => byId.value.get(message_id) ?? [])
      .sort((a, b) => a.seq - b.seq)
    const during = all.value.filter(({ offset_ms }) => offset_ms >= 0)
    const isOf = (key: string | null) => beats.find(({ beat }) => beat === key)
    const last =
      asked.findLast(({ beat }) => isOf(beat)) ?? during.findLast(({ beat }) => isOf(beat))
    return isOf(last?.beat ?? null) ?? null
  })

  /** Lets a paused session go on, at the speed that was chosen. */
  async resume(): Promise<void> {
    const speed = Number(this.restSpeed.value ?? this.clock.speed.value)
    if (speed !== this.clock.speed.value) await changeSession(this.session_id, { speed })
    await clockCalls.resume(this.session_id)
    this.restSpeed.value = null
    this.session.again(0)
  }

  /** Whether the team has decided, or let pass, what a part of the story asks. */
  hasEnded(beat: string): boolean {
    const decision = this.decisions.value.find((one) => one.beat === beat)
    return decision !== undefined && ['decided', 'lapsed'].includes(decision.status)
  }
  readonly channels = computed(
    () =>
      new Map(this.briefing.value?.channels.map((one) => [one.conversation_id, one.channel_name])),
  )

  /** The messages that others answer, as far as the service and the order in the thread tell. */
  readonly answered = computed(() => answeredIn(this.messages.all.value))

  /** The jobs of the characters, without their departments. */
  readonly jobs = computed(
    () => new Map(this.briefing.value?.cast.map((one) => [one.character_id, one.title])),
  )

  /** What characters wait for, without decisions, which have their own place. */
  readonly requests = computed(() =>
    this.expectations.value.filter(
      ({ message_id }) => !this.messages.byId.value.get(message_id)?.expectation?.decision,
    ),
  )

  /** The messages that answer something after its deadline. */
  readonly lateAnswers = computed(() => {
    const late = this.expectations.value.filter(({ answered_late }) => answered_late)
    return new Set(late.map(({ answered_message_id }) => answered_message_id))
  })

  /** When each person and character last wrote, on the clock of the session. */
  readonly lastSpoke = computed(
    () => new Map(this.messages.all.value.map((one) => [one.sender_id, one.offset_ms])),
  )

  /** A desk may be open in several tabs. Each keeps its own unsent messages. */
  override storedAs(...name: string[]): string {
    return `desk ${super.storedAs(...name)}`
  }

  /** Shows one message among what happened. */
  show(seq: number): void {
    this.part.value = 'happened'
    this.feed.show(seq)
  }

  constructor(session_id: string, part: Part = 'happened') {
    super(session_id, me.value?.user._id ?? '')
    this.part = signal(part)
    this.leadsToWords = part === 'waits'
    this.privateWords = new WordsOfAll(session_id, this.user_id)
    this.session = new Refreshed(() => readSession(session_id))
    this.participants = new Refreshed(() => readParticipants(session_id))
    this.notes = new Refreshed(() => readNotes(session_id))
  }

  override async open(): Promise<void> {
    this.session.again(0)
    if (may('listParticipants')) this.participants.again(0)
    if (may('listSessionNotes')) this.notes.again(0)
    await super.open()
  }

  override close(): void {
    super.close()
    this.session.close()
    this.participants.close()
    this.notes.close()
  }

  protected override async readAll(): Promise<void> {
    await super.readAll()
    if (may('listParticipants')) this.participants.again(0)
  }

  protected override receive(event: SessionEvent): void {
    super.receive(event)
    if (event.event === 'status' || event.event === 'decision') this.session.again()
    const isOfPerson = event.event === 'message' && event.data.sender_kind === 'participant'
    if (['participant', 'presence'].includes(event.event) || isOfPerson) {
      if (may('listParticipants')) this.participants.again()
    }
  }
}

/** Whether the user may speak as a character, and decide for the team. Raters may only watch. */
export const mayInject = (room: DeskRoom) =>
  may('makeDecision') && room.briefing.value?.facilitator != null
