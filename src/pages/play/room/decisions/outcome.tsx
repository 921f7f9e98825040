import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'
import { written } from '../../../shared/written.js'
import { me } from '../../state.js'

type Decision = Schema<'SessionDecision'>

/** The options of a decision that others make, or that has ended. */
export function Options({ room, decision }: { room: Room; decision: Decision }) {
  return (
    <>
      {decision.status !== 'open' && <Outcome room={room} decision={decision} />}
      <ul class="plain stack tight">
        {decision.options.map(({ option, label, cost }) => (
          <li key={option} class={option === decision.option ? 'option chosen' : 'option'}>
            <p>
              <Story as="strong">{label}</Story>{' '}
              {option === decision.option && <Taken decision={decision} />}
            </p>
            <p class="small">
              <span class="muted">{say('decision.cost')}</span> <Story>{cost}</Story>
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}

const Taken = ({ decision: { status } }: { decision: Decision }) =>
  status === 'lapsed' ? (
    <span class="chip">{say('decision.went_on')}</span>
  ) : (
    <span class="chip good">{say('decision.chosen')}</span>
  )

function Outcome({ room, decision }: { room: Room; decision: Decision }) {
  const { status, made_by, on_behalf, reason, option } = decision
  const name = room.people.value.get(made_by ?? '')?.name ?? '–'
  const text = () => {
    if (status === 'lapsed') return say(option ? 'decision.lapsed' : 'decision.never')
    if (on_behalf) return say('decision.on_behalf')
    return made_by === me.value ? say('decision.by_you') : say('decision.by', { name })
  }
  return (
    <div>
      <p>{text()}</p>
      {reason && (
        <p class="small">
          <span class="muted">
            {say(on_behalf ? 'decision.trainer_reason' : 'decision.reason_was')}
          </span>{' '}
          <span {...written}>{reason}</span>
        </p>
      )}
    </div>
  )
}
