import type { Schema } from '../../shared/forms/schema.js'
import { say, type Word } from '../../shared/words/words.js'
import { DebriefQuestions, ObserverNotes } from '../elements/facilitator.js'
import type { DeskRoom } from './desk-room.js'

type Step = Schema<'RunSheetEntry'>

/** What the trainer does now and next, and what to know about the step of the story. */
export function Sheet({ room }: { room: DeskRoom }) {
  const facilitator = room.briefing.value?.facilitator
  if (!facilitator) return null
  const minute = Math.max(0, room.clock.elapsed.value ?? 0) / 60_000
  const steps = facilitator.run_sheet
  const past = steps.filter(({ to_minute }) => to_minute <= minute)
  const [now, ...next] = steps.slice(past.length)
  return (
    <div class="stack tight">
      <h2>{say('lead.part.sheet')}</h2>
      {now && <Now step={now} />}
      {room.beat.value && <BeatNote beat={room.beat.value} />}
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
      {facilitator.observer.length > 0 && (
        <details class="small">
          <summary>{say('lead.observer')}</summary>
          <ObserverNotes observer={facilitator.observer} />
        </details>
      )}
      {facilitator.debrief.length > 0 && (
        <details class="small">
          <summary>{say('lead.debriefQuestions')}</summary>
          <DebriefQuestions debrief={facilitator.debrief} />
        </details>
      )}
    </div>
  )
}

const Now = ({ step }: { step: Step }) => (
  <section class="now stack tight small">
    <h3 class="row between">
      {phaseName(step.phase)}
      <span class="chip accent">{say('lead.isNow')}</span>
    </h3>
    <p class="muted">{say('lead.fromTo', { from: step.from_minute, to: step.to_minute })}</p>
    <p>{step.facilitator}</p>
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
        <p>{facilitator}</p>
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

function BeatNote({ beat }: { beat: Schema<'Beat'> }) {
  const { learning_goal, facilitator_note, debrief_question } = beat
  return (
    <section class="beat stack tight small">
      <h3>{say('lead.beatNow')}</h3>
      <p>{learning_goal}</p>
      <dl class="terms">
        <dt>{say('lead.trap')}</dt>
        <dd>{facilitator_note.trap}</dd>
        <dt>{say('lead.hint')}</dt>
        <dd>{facilitator_note.hint}</dd>
        <dt>{say('lead.fallback')}</dt>
        <dd>{facilitator_note.fallback}</dd>
        <dt>{say('lead.debrief')}</dt>
        <dd>{debrief_question}</dd>
      </dl>
    </section>
  )
}
