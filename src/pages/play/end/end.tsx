import { useSignal } from '@preact/signals'
import { Step } from '../../shared/forms/step.js'
import type { Room } from '../../shared/room/room.js'
import { readStored, store } from '../../shared/stored.js'
import { say } from '../../shared/words/words.js'
import { ConsentText } from '../entry/consent-text.js'
import type { Panes } from '../room/panes/panes.js'
import { WayOut } from '../way-out.js'
import { SelfRating } from './self-rating.js'
import { WordsWithTrainer } from './words-with-trainer.js'

interface EndProps {
  panes: Panes
  status: 'completed' | 'cancelled'
  readOn(): void
}

/** After the session: what happens with what was said, rating oneself, and the good-bye. */
export function End({ panes, status, readOn }: EndProps) {
  const { room } = panes
  const storedAs = room.storedAs('rated')
  const step = useSignal(readStored<string>(storedAs) ?? 'over')
  const goTo = (next: string) => {
    step.value = next
    store(storedAs, next)
  }
  const name = room.briefing.value?.name
  const isChanging = step.value === 'changing'
  if (step.value === 'rating' || isChanging) {
    return (
      <Step title={say('rating.title')} above={name}>
        <p>{say('rating.hint')}</p>
        <p>{say('end.who_reads_ratings')}</p>
        <SelfRating
          room={room}
          onSent={() => goTo('changing')}
          onDone={(isRated) => goTo(isRated ? 'rated' : 'skipped')}
        />
        <button
          type="button"
          class="quiet wide"
          onClick={() => goTo(isChanging ? 'rated' : 'skipped')}
        >
          {say(isChanging ? 'rating.keep' : 'rating.skip')}
        </button>
      </Step>
    )
  }
  if (step.value === 'over') {
    return (
      <Step title={say(`end.${status}`)} above={name} isArrival>
        <p>
          {say('end.thanks')} {status === 'completed' && say('end.rate_first')}
        </p>
        {status === 'completed' && (
          <button type="button" class="primary wide" onClick={() => goTo('rating')}>
            {say('rating.begin')}
          </button>
        )}
        <WordsWithTrainer panes={panes} />
        <WhatHappens room={room} />
        <button type="button" class="wide" onClick={readOn}>
          {say('end.read_on')}
        </button>
        <WayOut why={say('forget.text')} />
      </Step>
    )
  }
  return (
    <Step title={say('end.goodbye')} above={name}>
      <p>{say(step.value === 'rated' ? 'end.rated' : 'end.not_rated')}</p>
      <p>
        {say('end.debriefing')} {say('end.close')}
      </p>
      <WordsWithTrainer panes={panes} />
      <WhatHappens room={room} />
      <div class="row">
        <button type="button" onClick={() => goTo(step.value === 'rated' ? 'changing' : 'rating')}>
          {say(step.value === 'rated' ? 'rating.change' : 'rating.begin')}
        </button>
        <button type="button" onClick={readOn}>
          {say('end.read_on')}
        </button>
        <WayOut why={say('forget.text')} />
      </div>
    </Step>
  )
}

function WhatHappens({ room }: { room: Room }) {
  const consent = room.briefing.value?.consent
  return (
    <section class="card stack tight">
      <h2>{say('end.what_happens')}</h2>
      <p>{say('end.what_happens_text')}</p>
      <p>{say('end.who_reads_ratings')}</p>
      {consent && (
        <details>
          <summary>{say('end.consent')}</summary>
          <ConsentText consent={consent} />
        </details>
      )}
    </section>
  )
}
