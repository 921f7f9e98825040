import { Choice } from '../../elements/choice.js'
import { language, say } from '../../words/words.js'

interface PaceProps {
  speed: string
  /** How long the drill takes as planned; null if that is not known. */
  minutes: number | null
  /** Another pace to offer. */
  now?: number
  onChange: (speed: string) => void
}

/** How fast a session's clock runs, and how little time that leaves. */
export function Pace({ speed, minutes, now = 1, onChange }: PaceProps) {
  const all = [...new Set([1, 2, 5, 10, 30, 60, 120, now])].sort((a, b) => a - b)
  const questionMinutes = 3
  return (
    <div class="stack tight">
      <Choice
        label={say('lead.pace')}
        hint={say('lead.paceHint')}
        value={speed}
        options={all.map((times) => ({ value: `${times}`, label: paceOf(times, minutes) }))}
        onChange={onChange}
      />
      <output class="muted small">
        {Number(speed) > 1 &&
          say('lead.paceLeaves', {
            question: spanOf(questionMinutes),
            left: spanOf(questionMinutes / Number(speed)),
          })}
      </output>
    </div>
  )
}

function paceOf(times: number, minutes: number | null): string {
  const pace = times === 1 ? say('lead.pace.real') : say('lead.pace.faster', { times })
  return minutes === null ? pace : `${pace}, ${spanOf(minutes / times)}`
}

/** Returns a time in words: minutes, or seconds when it is short. */
function spanOf(minutes: number): string {
  const [value, unit] = minutes < 2 ? [minutes * 60, 'second'] : [minutes, 'minute']
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(language, { ...style, maximumFractionDigits: 1 }).format(value)
}
