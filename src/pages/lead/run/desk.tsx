import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ScrollArea } from '../../shared/scroll-area.js'
import { may } from '../me.js'
import { say } from '../words/words.js'
import { announceChanges } from './announcing.js'
import { DeskHead } from './desk-head.js'
import { type DeskRoom, mayInject, type Part, parts } from './desk-room.js'
import { Happened } from './feed/happened.js'
import { Speak } from './feed/speak.js'
import { Notes } from './notes.js'
import { Decisions, EndedDecisions } from './questions/decisions.js'
import { Waits } from './questions/waits.js'
import { Sheet, ToWatch } from './sheet.js'
import { Participants } from './team/participants.js'

/** All that is needed to lead one session. On a narrow screen one part is shown at a time. */
export function Desk({ room, isOneOfTwo }: { room: DeskRoom; isOneOfTwo: boolean }) {
  const { part } = room
  useEffect(() => announceChanges(room), [room])
  if (!room.briefing.value) return <p class="muted">{say('lead.loading')}</p>
  const { facilitator, observer } = room.briefing.value
  const shown = parts.filter((one) => mayShow(one, room))
  const isOver = room.clock.status.value === 'completed'
  const kind = shown.includes('people') ? 'desk' : 'desk watching'
  return (
    <section class={kind} data-part={part.value} aria-label={room.briefing.value.name}>
      {isOneOfTwo && (
        <header class="desk-of-two">
          <h2>{room.briefing.value.name}</h2>
          <DeskHead room={room} />
        </header>
      )}
      <nav class="desk-parts" aria-label={say('lead.parts')}>
        {shown.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={part.value === one}
            onClick={() => {
              part.value = one
            }}
          >
            {say(`lead.part.${one}`)}
            <Waiting count={waitingIn(one, room)} />
          </button>
        ))}
      </nav>
      <div class="desk-body">
        {shown.includes('sheet') && (
          <Column part="sheet" title={say('lead.part.sheet')}>
            <Sheet room={room} />
          </Column>
        )}
        {shown.includes('people') && (
          <Column part="people" title={say('lead.part.people')}>
            <Participants room={room} />
          </Column>
        )}
        <div class="desk-happened">
          <Happened room={room} />
          {mayInject(room) && <Speak room={room} />}
        </div>
        <Column part="waits" title={say('lead.part.waits')}>
          {isOver && <EndedDecisions room={room} />}
          <Decisions room={room} />
          <Waits room={room} />
          {facilitator === null && <ToWatch observer={observer} isOpen />}
          {may('createSessionNote') && !room.notes.isRefused.value && <Notes room={room} />}
          {!isOver && <EndedDecisions room={room} />}
        </Column>
      </div>
    </section>
  )
}

/** Whether a part has something for the user. Raters have no run sheet, and do not look after people. */
function mayShow(part: Part, room: DeskRoom): boolean {
  if (part === 'sheet') return room.briefing.value?.facilitator != null
  return part !== 'people' || may('listParticipants')
}

/** How much in a part needs the trainer now. */
function waitingIn(part: Part, room: DeskRoom): number {
  if (part !== 'waits') return 0
  const open = room.expectations.value.filter(({ status }) => status === 'open')
  return open.length + room.privateWords.asking.value.size
}

const Waiting = ({ count }: { count: number }) =>
  count === 0 ? null : <span class="chip accent">{say('lead.waiting', { count })}</span>

interface ColumnProps {
  part: Part
  title: string
  children: ComponentChildren
}

/** A part that scrolls on its own where there is room. */
const Column = ({ part, title, children }: ColumnProps) => (
  <ScrollArea class={`desk-${part} desk-column`} label={title}>
    {children}
  </ScrollArea>
)
