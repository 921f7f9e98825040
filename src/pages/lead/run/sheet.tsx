import type { Schema } from '../../shared/forms/schema.js'
import { Story } from '../../shared/room/story.js'
import { DebriefQuestions, ObserverNotes } from '../elements/facilitator.js'
import { say, type Word } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'
import { Roles } from './team/roles.js'

type Step = Schema<'RunSheetEntry'>

/** What the trainer does now and next, and what to know about the step of the story. */
export function Sheet({ room }: { room: DeskRoom }) {
  const { facilitator, observer = [] } = room.briefing.value ?? {}
  if (!facilitator) return null
  const isOver = room.clock.status.value === 'completed'
  const { past, now, next } = stepsIn(room, facilitator.run_sheet, isOver)
  return (
    <div class="stack tight">
      <h2>{say('lead.part.sheet')}</h2>
      {now.map((step) => (
        <Now key={step.from_minute} step={step} isOver={isOver} />
      ))}
      {isOver && <Debriefing room={room} isOpen />}
      {isOver && <Roles room={room} />}
      {room.beat.value && !isOver && (
        <BeatNote beat={room.beat.value} hasEnded={room.hasEnded(room.beat.value.beat)} />
      )}
      {next.length > 0 && (
        <>
          <h3>{say('lead.then')}</h3>
          <Steps steps={next} />
        </>
      )}
      {past.length > 0 && (
        <details class="small">
          <summary>{say('lead.before.steps', { count: past.length })}</summary>
          <Steps steps={past} />
        </details>
      )}
      <ToWatch observer={observer} />
      {!isOver && <Debriefing room={room} />}
      {!isOver && <Roles room={room} />}
    </div>
  )
}

interface ToWatchProps {
  observer: readonly Schema<'ObserverNote'>[]
  isOpen?: boolean
}

/** What to watch for. Raters, who have no run sheet, see it beside their notes. */
export function ToWatch({ observer, isOpen = false }: ToWatchProps) {
  if (observer.length === 0) return null
  return (
    <details class="small" open={isOpen}>
      <summary>{say('lead.observer')}</summary>
      <ObserverNotes observer={observer} />
    </details>
  )
}

/** The steps by the clock of the session. When the story is over, what comes after it is now. */
function stepsIn(room: DeskRoom, steps: readonly Step[], isOver: boolean) {
  const minute = Math.max(0, room.clock.elapsed.value ?? 0) / 60_000
  const past = steps.filter(({ phase, to_minute }) =>
    isOver ? ['brief', 'play'].includes(phase) : to_minute <= minute,
  )
  const rest = steps.slice(past.length)
  return isOver
    ? { past, now: rest, next: [] }
    : { past, now: rest.slice(0, 1), next: rest.slice(1) }
}

/** The questions for the debriefing. Those of the parts that were played are closed below those of the scenario. */
function Debriefing({ room, isOpen = false }: { room: DeskRoom; isOpen?: boolean }) {
  const { beats, debrief } = room.briefing.value?.facilitator ?? { beats: [], debrief: [] }
  const played = beats.filter(({ beat }) => room.playedBeats.value.has(beat))
  const more = [...new Set(played.map((one) => one.debrief_question))].filter((question) =>
    debrief.every((one) => one !== question),
  )
  if (debrief.length + more.length === 0) return null
  return (
    <details class="small" open={isOpen}>
      <summary>{say('lead.debriefQuestions')}</summary>
      <DebriefQuestions debrief={debrief} />
      {more.length > 0 && (
        <details>
          <summary>{say('lead.moreQuestions', { count: more.length })}</summary>
          <DebriefQuestions debrief={more} />
        </details>
      )}
    </details>
  )
}

const Now = ({ step, isOver }: { step: Step; isOver: boolean }) => (
  <section class="now stack tight small">
    <h3 class="row between">
      {phaseName(step.phase)}
      <span class="chip accent">{say(isOver ? 'lead.isNow' : 'lead.isPlanned')}</span>
    </h3>
    <p class="muted">{say('lead.fromTo', { from: step.from_minute, to: step.to_minute })}</p>
    <Story as="p">{step.facilitator}</Story>
  </section>
)

const Steps = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="sheet small">
    {steps.map(({ from_minute, to_minute, phase, facilitator }) => (
      <li key={from_minute}>
        <p>
          <strong>{phaseName(phase)}</strong>{' '}
          <span class="muted">{say('lead.fromTo', { from: from_minute, to: to_minute })}</span>
        </p>
        <Story as="p">{facilitator}</Story>
      </li>
    ))}
  </ol>
)

/** The name of a phase, which scenarios choose. */
function phaseName(phase: string): string {
  const word = `lead.phase.${phase}` as Word
  const text = say(word)
  return text === word ? phase : text
}

interface BeatNoteProps {
  beat: Schema<'Beat'>
  /** Whether its decision has ended, so that a hint comes too late. */
  hasEnded: boolean
}

function BeatNote({ beat, hasEnded }: BeatNoteProps) {
  const { learning_goal, facilitator_note, debrief_question } = beat
  return (
    <section class="beat stack tight small">
      <h3>{say('lead.beatNow')}</h3>
      <dl class="terms">
        <dt>{say('lead.beatGoal')}</dt>
        <Story as="dd">{learning_goal}</Story>
        <dt>{say('lead.trap')}</dt>
        <Story as="dd">{facilitator_note.trap}</Story>
        {!hasEnded && (
          <>
            <dt>{say('lead.hint')}</dt>
            <Story as="dd">{facilitator_note.hint}</Story>
            <dt>{say('lead.fallback')}</dt>
            <Story as="dd">{facilitator_note.fallback}</Story>
          </>
        )}
        <dt>{say('lead.debrief')}</dt>
        <Story as="dd">{debrief_question}</Story>
      </dl>
    </section>
  )
}
