import { Step } from '../../shared/forms/step.js'
import { say } from '../../shared/words/words.js'
import { comeBack } from '../visit.js'

/** The room is open in another tab of this browser. */
export function OtherTab({ takeOver }: { takeOver(): unknown }) {
  return (
    <Step title={say('tab.other')}>
      <p>{say('tab.other_text')}</p>
      <button type="button" class="primary wide" onClick={takeOver}>
        {say('tab.take_over')}
      </button>
    </Step>
  )
}

/** Another tab of this browser has taken the room. */
export function Moved() {
  return (
    <Step title={say('tab.moved')} isArrival>
      <p>{say('tab.moved_text')}</p>
      <button type="button" class="wide" onClick={comeBack}>
        {say('tab.come_back')}
      </button>
    </Step>
  )
}
